# The AST layer: what every rule shares, then a directory per rule. A new file is found when
# the build is configured again, which CONFIGURE_DEPENDS sees to.
file(GLOB WHYHOT_AST CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/ast/*.cpp)
file(GLOB WHYHOT_FACTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/ast/facts/*.cpp)
compile_together(whyhot-analyzer ast ${WHYHOT_AST} ${WHYHOT_FACTS})

# Each rule by itself: they name their parts alike.
file(GLOB WHYHOT_AST_RULES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/ast/*/*.cpp)
list(REMOVE_ITEM WHYHOT_AST_RULES ${WHYHOT_FACTS})
target_sources(whyhot-analyzer PRIVATE ${WHYHOT_AST_RULES})

# What no reply shows is tested by itself.
add_subdirectory(test/unit)
