// fix: hoist
// flags: -std=c++20 -O2
// want: refused: macro
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#define EACH(v) for (size_t i = 0; i < v.size(); ++i)
void run(const std::string &text, std::vector<uint8_t> &out) {
  EACH(text) // HERE
    out[i] = text[i] & 0x1f;
}
