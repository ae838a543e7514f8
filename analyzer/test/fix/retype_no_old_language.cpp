// fix: retype
// flags: -std=c++17 -O2
// want: refused: C++20
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

static uint8_t table[256];
void run(int *n) {
  for (int i = 0; i < *n; ++i) // HERE
    table[i] = 1;
}
