// fix: hoist
// flags: -std=c++20 -O2
// want: refused: push_back
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void grow(std::vector<uint8_t> &v) {
  for (size_t i = 0; i < v.size(); ++i) // HERE
    if (v[i] == 3)
      v.push_back(1);
}
