// fix: wide-store
// flags: -std=c++20 -O2
// want: refused: nothing there
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void put(uint8_t *out, unsigned value) {
  out[0] = value; // HERE
  value++;
  out[1] = value >> 8;
}
