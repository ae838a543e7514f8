// fix: hoist
// flags: -std=c++20 -O2
// want: refused: may change it
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Reader {
  std::vector<uint8_t> bytes;
  void refill();
  void run() {
    for (size_t i = 0; i < bytes.size(); ++i) { // HERE
      bytes[i] ^= 1;
      refill();
    }
  }
};
void use(Reader &r) { r.run(); }
