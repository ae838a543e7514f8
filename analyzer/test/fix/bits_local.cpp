// fix: vector-bool
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  const unsigned n = 200;
  std::vector<bool> seen(n, false);
  int hits = 0;
  for (unsigned i = 0; i < n; i += 3)
    seen[i] = true;
  for (unsigned i = 0; i < n; ++i) // HERE
    hits += seen[i];
  printf("%d\n", hits);
}
