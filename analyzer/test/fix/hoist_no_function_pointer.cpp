// fix: hoist
// flags: -std=c++20 -O2
// want: refused: through a pointer
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Buffer {
  uint8_t *data;
  int length;
};
void each(Buffer &b, void (*change)(int)) {
  for (int i = 0; i < b.length; i++) { // HERE
    b.data[i] = 1;
    change(i);
  }
}
