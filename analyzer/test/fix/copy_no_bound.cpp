// fix: whole-copy
// flags: -std=c++17 -O2
// want: refused: may not be the same in every iteration
#include <vector>

int next();
void run(std::vector<bool> &a, const std::vector<bool> &b) {
  for (int i = 0; i < next(); ++i) // HERE
    a[i] = b[i];
}
