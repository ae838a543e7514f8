# Rewriting: a file per kind of fix, beside what they share.
compile_together(whyhot-analyzer fix
  src/fix/advisor.cpp
  src/fix/bit_elements.cpp
  src/fix/bit_field.cpp
  src/fix/bit_uses.cpp
  src/fix/bits.cpp
  src/fix/byte_stores.cpp
  src/fix/changes.cpp
  src/fix/consumer.cpp
  src/fix/element_uses.cpp
  src/fix/elements.cpp
  src/fix/hoist.cpp
  src/fix/kind_names.cpp
  src/fix/library.cpp
  src/fix/nonnull.cpp
  src/fix/reach.cpp
  src/fix/retype.cpp
  src/fix/source.cpp
  src/fix/uses.cpp
  src/fix/value.cpp
  src/fix/vector_bool.cpp
  src/fix/whole_copy.cpp
  src/fix/wide_store.cpp
  src/fix/write_back.cpp
)
