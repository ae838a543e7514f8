// fix: hoist
// flags: -std=c++20 -O2
// want: refused: assigns what
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Header {
  int length;
  int sum;
};
void scramble(Header &h) {
  unsigned char *bytes = reinterpret_cast<unsigned char *>(&h);
  for (int i = 0; i < h.length; i++) // HERE
    bytes[i % 8] ^= 1;
}
