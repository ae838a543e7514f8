// fix: hoist
// flags: -std=c++20 -O2
// want: refused: assigns what
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Buffer {
  uint8_t *data;
  int length;
};
void strip(Buffer &b) {
  for (int i = 0; i < b.length; i++) { // HERE
    if (b.data[i] == 0)
      b.length--;
    b.data++;
  }
}
