# Machine code of binaries: disassembly, control flow, loops, and a file per rule.
target_sources(whyhot-analyzer PRIVATE
  src/machine/code.cpp
  src/machine/flow.cpp
  src/machine/image.cpp
  src/machine/jump_table.cpp
  src/machine/loops.cpp
  src/machine/machine.cpp
  src/machine/rules/rules.cpp
  src/machine/target.cpp
  src/protocol/machine_json.cpp
)
