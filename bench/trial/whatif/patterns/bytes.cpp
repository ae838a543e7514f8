// Writes 64-bit integers byte by byte into the byte array of a struct.
#include "repeat.h"

#include <cstdint>
#include <vector>

struct Key {
  uint8_t bytes[8];
};

struct Keys {
  std::vector<uint64_t> values;
  std::vector<Key> keys;
  void encode();
};

__attribute__((noinline)) void Keys::encode() {
  for (size_t i = 0; i < values.size(); ++i) {
    Key &k = keys[i];
    for (int b = 0; b < 8; ++b)
      k.bytes[b] = uint8_t(values[i] >> (56 - 8 * b));
  }
}

int main(int argc, char **argv) {
  Keys k;
  const size_t n = sizeArgument(argc, argv, 8192);
  for (size_t i = 0; i < n; ++i)
    k.values.push_back(i * 0x9e3779b97f4a7c15u);
  k.keys.resize(n);
  repeat(n, [&] { k.encode(); });
  std::vector<unsigned> all;
  for (const Key &key : k.keys)
    all.insert(all.end(), key.bytes, key.bytes + 8);
  return report(all.begin(), all.end());
}
