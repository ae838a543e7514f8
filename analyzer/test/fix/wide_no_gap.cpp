// fix: wide-store
// flags: -std=c++20 -O2
// want: refused: nothing there
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void put(uint8_t *out, uint32_t value) {
  out[0] = value; // HERE
  out[2] = value >> 8;
  out[4] = value >> 16;
  out[6] = value >> 24;
}
