// What the pattern programs share: how often they repeat, and a checksum that
// keeps the work alive and lets outputs be compared.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

inline size_t sizeArgument(int argc, char **argv, size_t otherwise) {
  return argc > 1 ? std::strtoul(argv[1], nullptr, 10) : otherwise;
}

// The same amount of data whatever its size.
template <class F> void repeat(size_t size, F once) {
  constexpr size_t total = 400000000;
  for (size_t n = total / (size ? size : 1); n > 0; --n)
    once();
}

template <class It> int report(It from, It to) {
  uint64_t sum = 14695981039346656037u;
  for (; from != to; ++from)
    sum = (sum ^ uint64_t(*from)) * 1099511628211u;
  std::printf("%016llx\n", (unsigned long long)sum);
  return 0;
}
