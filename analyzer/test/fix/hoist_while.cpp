// fix: hoist
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void run(const std::string &text, std::vector<uint8_t> &out) {
    size_t pos = 0;
    while (pos < text.length()) { // HERE
        out[pos] = uint8_t(text[pos] ^ 0x55);
        ++pos;
    }
}

int main() {
  std::string text = "The quick brown fox jumps over the lazy dog";
  std::vector<uint8_t> out(2 * text.size());
  run(text, out);
  for (unsigned x : out)
    printf("%u ", x);
}
