// fix: hoist
// flags: -std=c++17 -O2
// want: refused: stays
#include <cstdint>
struct Buffer {
  int length;
};
void fill(Buffer &b, int **to, uint8_t *bytes, int n) {
  while (n-- > 0) { // HERE
    bytes[b.length++] = n;
    to[n] = new int(n);
  }
}
