// fix: vector-bool
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  std::vector<bool> odd(64);
  for (int i = 0; i < 64; ++i) // HERE
    odd[i] = i & 2;
  odd.push_back(3 & 2);
  odd.resize(70, true);
  unsigned n = 0;
  for (bool x : odd)
    n = n * 3 + x;
  if (odd[3] == odd[5] && !odd.back())
    n++;
  printf("%u %d %zu\n", n, static_cast<int>(odd[2]), odd.size());
}
