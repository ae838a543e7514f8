// fix: wide-store
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void put(uint8_t *out, uint32_t value) {
  out[0] = value & 0xff; // HERE
  out[1] = (value >> 8) & 0xff;
  out[2] = (value >> 16) & 0xff;
  out[3] = value >> 24;
}
int main() {
  uint8_t b[4];
  put(b, 0x12345678);
  for (unsigned x : b)
    printf("%02x ", x);
}
