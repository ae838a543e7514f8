// fix: vector-bool
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  std::vector<std::vector<bool>> grid(9, std::vector<bool>(7, false));
  for (int y = 0; y < 9; ++y) // HERE
    for (int x = 0; x < 7; ++x)
      grid[y][x] = (x * y) % 3 == 0;
  unsigned n = 0;
  for (const auto &row : grid)
    for (bool cell : row)
      n = 2 * n + cell;
  printf("%u\n", n);
}
