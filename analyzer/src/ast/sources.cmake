# The AST layer: what every rule shares, then a directory per rule. A new file is found when
# the build is configured again, which CONFIGURE_DEPENDS sees to.
file(GLOB WHYHOT_AST CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/src/ast/*.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/src/ast/*/*.cpp
)
target_sources(whyhot-analyzer PRIVATE ${WHYHOT_AST})

# What no reply shows is tested by itself.
add_subdirectory(test/unit)
