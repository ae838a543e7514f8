// fix: hoist
// flags: -std=c++20 -O2
// want: refused: may change it
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void more(std::vector<uint8_t> &v);
void grow(std::vector<uint8_t> &v) {
  for (size_t i = 0; i < v.size(); ++i) { // HERE
    v[i] = 3;
    more(v);
  }
}
