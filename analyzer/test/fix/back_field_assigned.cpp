// fix: hoist
// flags: -std=c++20 -O2
// want: assumed: `b.length`, `b.data` is written even where
#include <cstdint>
#include <cstdio>

struct Buffer {
  uint8_t *data;
  int length;
};
void strip(Buffer &b) {
  for (int i = 0; i < b.length; i++) { // HERE
    if (b.data[i] == 0)
      b.length--;
    b.data++;
    b.data[i] ^= 1;
  }
}
int main() {
  uint8_t bytes[] = {1, 0, 3, 0, 5, 6, 0, 8, 9, 0, 1, 2};
  Buffer b{bytes, 6};
  strip(b);
  std::printf("%d %d", int(b.data - bytes), b.length);
  for (int x : bytes)
    std::printf(" %d", x);
}
