// fix: hoist
// flags: -std=c++17 -O2
// want: refused: its address is taken in the loop
#include <cstdint>
struct Buffer {
  int length;
};
void fill(Buffer &b, uint8_t *to, int n) {
  while (n-- > 0) { // HERE
    int &at = ++b.length;
    to[n] = n;
    at += 2;
  }
}
