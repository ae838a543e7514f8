// fix: hoist
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void lower(const std::vector<int> &in, std::vector<uint8_t> &out) {
  size_t at = 0;
  for (std::vector<int>::const_iterator it = in.begin(); it != in.end(); ++it) // HERE
    out[at++] = uint8_t(*it);
}
int main() {
  std::vector<int> in;
  for (int i = 0; i < 60; i++)
    in.push_back(i * 7);
  std::vector<uint8_t> out(60);
  lower(in, out);
  for (unsigned x : out)
    printf("%u ", x);
}
