// fix: hoist
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void run(const std::string &text, std::vector<uint8_t> &out) {
  for (size_t i = 0; i < text.size() && i < out.size(); ++i) // HERE
    out[i] = text[i] & 0x1f;
}

int main() {
  std::string text = "The quick brown fox jumps over the lazy dog";
  std::vector<uint8_t> out(2 * text.size());
  run(text, out);
  for (unsigned x : out)
    printf("%u ", x);
}
