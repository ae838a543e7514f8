// fix: hoist
// flags: -std=c++20 -O2
// want: assumed: no part of
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Buffer {
  uint8_t *data;
  int length;
  int key;
};
void mask(Buffer *b) {
  for (int i = 0; i < b->length; i++) // HERE
    b->data[i] ^= b->key;
}
int main() {
  uint8_t bytes[40];
  for (int i = 0; i < 40; i++)
    bytes[i] = uint8_t(i);
  Buffer b{bytes, 40, 0x5a};
  mask(&b);
  for (unsigned x : bytes)
    printf("%u ", x);
}
