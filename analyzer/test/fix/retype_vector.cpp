// fix: retype
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Range {
  int from, to;
};
static std::vector<uint8_t> out(1200);
__attribute__((noinline)) void run(Range &r) {
  for (int i = 0; i < r.to; ++i) // HERE
    out[i] = uint8_t(r.from + i);
}
int main() {
  Range r{3, 1000};
  run(r);
  unsigned sum = 0;
  for (size_t i = 0; i < out.size(); ++i)
    sum = sum * 31 + out[i];
  printf("%u %u\n", sum, static_cast<unsigned>(out.back()));
}
