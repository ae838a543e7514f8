// fix: vector-bool
// flags: -std=c++20 -O2
// want: fixed
#include <cstdio>
#include <vector>

// A parameter and what is passed to it have one type.
static int run(const std::vector<bool> &b) {
  int hits = 0;
  for (size_t i = 0; i < b.size(); ++i) // HERE
    hits += b[i];
  return hits;
}
static std::vector<bool> every(size_t n, size_t step) {
  std::vector<bool> made(n);
  for (size_t i = 0; i < n; i += step)
    made[i] = true;
  return made;
}
int main() {
  std::vector<bool> third = every(50, 3), unrelated(9, true);
  printf("%d %d %zu\n", run(third), run(every(70, 7)), unrelated.size());
}
