# Machine code of binaries: disassembly, control flow, loops, and a file per rule.
target_sources(whyhot-analyzer PRIVATE
  src/machine/code.cpp
  src/machine/flow.cpp
  src/machine/image.cpp
  src/machine/jump_table.cpp
  src/machine/loops.cpp
  src/machine/machine.cpp
  src/machine/model.cpp
  src/machine/object.cpp
  src/machine/rules/bits.cpp
  src/machine/rules/calls.cpp
  src/machine/rules/checksum.cpp
  src/machine/rules/division.cpp
  src/machine/rules/facts.cpp
  src/machine/rules/forwarding.cpp
  src/machine/rules/hash.cpp
  src/machine/rules/reload.cpp
  src/machine/rules/packing.cpp
  src/machine/rules/remainder.cpp
  src/machine/rules/rules.cpp
  src/machine/rules/scalar.cpp
  src/machine/rules/small.cpp
  src/machine/rules/spill.cpp
  src/machine/rules/stride.cpp
  src/machine/target.cpp
  src/protocol/machine_json.cpp
)
