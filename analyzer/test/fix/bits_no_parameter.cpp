// fix: vector-bool
// flags: -std=c++20 -O2
// want: refused: parameter
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

int run(const std::vector<bool> &b) {
  int hits = 0;
  for (size_t i = 0; i < b.size(); ++i) // HERE
    hits += b[i];
  return hits;
}
