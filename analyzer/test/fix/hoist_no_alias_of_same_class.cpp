// fix: hoist
// flags: -std=c++20 -O2
// want: refused: may change it
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void join(const std::vector<uint8_t> &from, std::vector<uint8_t> &to) {
  for (size_t i = 0; i < from.size(); ++i) // HERE
    to.insert(to.begin(), from[i]);
}
