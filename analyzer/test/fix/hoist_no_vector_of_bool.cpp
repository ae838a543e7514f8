// fix: hoist
// flags: -std=c++20 -O2
// want: refused: 
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

void run(std::vector<bool> &bits, int n) {
  for (int i = 0; i < n; ++i) // HERE
    bits[i] = !bits[i];
}
