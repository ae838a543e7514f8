// fix: vector-bool
// flags: -std=c++20 -O2
// want: refused: flip
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

int run(int n) {
  std::vector<bool> b(n);
  b.flip();
  int hits = 0;
  for (int i = 0; i < n; ++i) // HERE
    hits += b[i];
  return hits;
}
