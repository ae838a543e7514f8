// fix: hoist
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void fill(std::vector<uint8_t> *out) {
  for (size_t i = 0; i < out->size(); ++i) // HERE
    (*out)[i] = uint8_t(i * 3);
}
int main() {
  std::vector<uint8_t> v(50);
  fill(&v);
  for (unsigned x : v)
    printf("%u ", x);
}
