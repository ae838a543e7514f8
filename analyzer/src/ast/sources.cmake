# The AST layer: what every rule shares, then a directory per rule.
target_sources(whyhot-analyzer PRIVATE
  src/ast/alias/alias.cpp
  src/ast/bit_by_bit/bit_by_bit.cpp
  src/ast/bitfield_flag/bitfield_flag.cpp
  src/ast/column_walk/column_walk.cpp
  src/ast/constant_container/constant_container.cpp
  src/ast/consumer.cpp
  src/ast/debug_stl/debug_stl.cpp
  src/ast/exception_flow/exception_flow.cpp
  src/ast/facts/access_path.cpp
  src/ast/facts/arguments.cpp
  src/ast/facts/call_graph.cpp
  src/ast/facts/callees.cpp
  src/ast/facts/containers.cpp
  src/ast/facts/effects.cpp
  src/ast/facts/flow.cpp
  src/ast/facts/in_caller.cpp
  src/ast/facts/induction.cpp
  src/ast/facts/locals.cpp
  src/ast/facts/loops.cpp
  src/ast/facts/path.cpp
  src/ast/facts/path_value.cpp
  src/ast/facts/term.cpp
  src/ast/facts/threads.cpp
  src/ast/facts/types.cpp
  src/ast/functions.cpp
  src/ast/report.cpp
  src/ast/short_loop/short_loop.cpp
  src/ast/user_rules/user_rules.cpp
  src/ast/value_container/value_container.cpp
  src/ast/vector_bool/vector_bool.cpp
  src/ast/volatile_sync/volatile_sync.cpp
)

# What no reply shows is tested by itself.
add_subdirectory(test/unit)
