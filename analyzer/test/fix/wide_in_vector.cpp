// fix: wide-store
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Key {
  uint8_t bytes[8];
};
void encode(const std::vector<uint64_t> &in, std::vector<Key> &out) {
  for (size_t k = 0; k < in.size(); ++k) { // HERE
    const uint64_t v = in[k];
    for (int i = 0; i < 8; ++i)
      out[k].bytes[i] = uint8_t(v >> (8 * i));
  }
}
int main() {
  std::vector<uint64_t> in = {1, 0x1122334455667788u, ~0ull};
  std::vector<Key> out(3);
  encode(in, out);
  for (const Key &k : out)
    for (unsigned b : k.bytes)
      printf("%02x ", b);
}
