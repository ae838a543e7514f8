// fix: whole-copy
// flags: -std=c++17 -O2
// want: refused: nothing there can be fixed
#include <vector>

void run(std::vector<bool> &a, const std::vector<bool> &b, int n) {
  for (int i = 0; i < n; ++i) // HERE
    a[i] = b[i + 1];
}
