// fix: hoist
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

static size_t text_size = 3;
void run(const std::string &text, std::vector<uint8_t> &out) {
  int text_data = 5;
  for (size_t i = 0; i < text.size(); ++i) // HERE
    out[i] = uint8_t(text[i] + text_data + int(text_size));
}

int main() {
  std::string text = "The quick brown fox jumps over the lazy dog";
  std::vector<uint8_t> out(2 * text.size());
  run(text, out);
  for (unsigned x : out)
    printf("%u ", x);
}
