// fix: hoist
// flags: -std=c++20 -O2
// want: refused: label
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void run(const std::string &text, std::vector<uint8_t> &out, bool late) {
  size_t i = 0;
  if (late)
    goto inside;
  for (; i < text.size(); ++i) { // HERE
  inside:
    out[i] = text[i] & 0x1f;
  }
}
