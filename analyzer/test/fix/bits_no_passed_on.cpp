// fix: vector-bool
// flags: -std=c++20 -O2
// want: refused: body is in no unit
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

int weigh(const std::vector<bool> &);
int run(int n) {
  std::vector<bool> b(n);
  for (int i = 0; i < n; ++i) // HERE
    b[i] = i % 3 == 0;
  return weigh(b);
}
