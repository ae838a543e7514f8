// fix: hoist
// flags: -std=c++17 -O2
// want: refused: may leave the loop
#include <cstdint>
struct Buffer {
  int length;
};
inline int checked(int n) {
  if (n == 3)
    throw n;
  return n;
}
void fill(Buffer &b, uint8_t *to, int n) {
  while (n-- > 0) // HERE
    to[b.length++] = checked(n);
}
