// fix: retype
// flags: -std=c++20 -O2 -fno-strict-aliasing
// want: refused: fno-strict-aliasing
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

static uint8_t table[256];
void run(int *n) {
  for (int i = 0; i < *n; ++i) // HERE
    table[i] = 1;
}
