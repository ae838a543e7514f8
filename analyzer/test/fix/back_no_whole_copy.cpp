// fix: hoist
// flags: -std=c++17 -O2
// want: refused: stays
#include <cstdint>
struct Buffer {
  int length;
  int other;
};
int sum(const Buffer *all);
int fill(Buffer &b, uint8_t *to, int n) {
  Buffer last[100];
  while (n-- > 0) { // HERE
    to[b.length++] = n;
    last[n] = b;
  }
  return sum(last);
}
