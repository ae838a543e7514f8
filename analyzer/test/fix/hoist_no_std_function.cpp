// fix: hoist
// flags: -std=c++20 -O2
// want: refused: may change it
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
#include <functional>
void run(std::vector<uint8_t> &v, const std::function<void()> &f) {
  for (size_t i = 0; i < v.size(); ++i) { // HERE
    v[i] = 1;
    f();
  }
}
