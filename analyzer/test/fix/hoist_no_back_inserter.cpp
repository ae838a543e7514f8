// fix: hoist
// flags: -std=c++20 -O2
// want: refused: 
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
#include <iterator>
void run(std::vector<uint8_t> &v, std::back_insert_iterator<std::vector<uint8_t>> end) {
  for (size_t i = 0; i < v.size() && i < 100; ++i) // HERE
    *end++ = v[i];
}
