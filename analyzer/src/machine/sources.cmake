# Machine code of binaries: disassembly, control flow, loops, and a file per rule. A new file
# is found when the build is configured again, which CONFIGURE_DEPENDS sees to.
file(GLOB WHYHOT_MACHINE CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/src/machine/*.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/src/machine/rules/*.cpp
)
compile_together(whyhot-analyzer machine ${WHYHOT_MACHINE})
