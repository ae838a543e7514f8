// flags: -std=c++20 -O2
// A captured variable that the loop itself changes.
// fix: hoist
// want: refused: gains nothing
#include <cstdint>
#include <cstdio>

std::uint8_t out[32];

int run(int n) {
  auto fill = [&] {
    int i = 0;
    while (i < n) { // HERE
      out[i++] = 1;
      n--;
    }
    return i;
  };
  return fill() + n;
}

int main() {
  std::printf("%d\n", run(20));
}
