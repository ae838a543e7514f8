// fix: vector-bool
// flags: -std=c++20 -O2
// want: refused: proxy
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

int run(int n) {
  std::vector<bool> b(n);
  int hits = 0;
  for (int i = 0; i < n; ++i) { // HERE
    auto bit = b[i];
    bit = true;
    hits += b[i];
  }
  return hits;
}
