// fix: hoist
// flags: -std=c++20 -O2
// want: refused: may change it
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void run(std::vector<uint8_t> &v, const std::vector<uint8_t> &other) {
  for (size_t i = 0; i < v.size(); ++i) { // HERE
    v[i] = 1;
    if (i == 3)
      v = other;
  }
}
