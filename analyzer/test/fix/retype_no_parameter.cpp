// fix: retype
// flags: -std=c++20 -O2
// want: refused: parameter
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void run(std::vector<uint8_t> &out, int *n) {
  for (int i = 0; i < *n; ++i) // HERE
    out[i] = 1;
}
