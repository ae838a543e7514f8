// fix: hoist
// flags: -std=c++17 -O2
// want: refused: stays
#include <cstdint>
struct Buffer {
  int length;
};
void fill(Buffer &b, uint8_t *to, int n) {
  while (n-- > 0) { // HERE
    auto put = [&](int x) { to[b.length++] = x; };
    put(n);
    b.length++;
  }
}
