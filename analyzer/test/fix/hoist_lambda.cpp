// flags: -std=c++20 -O2
// The loop stands in a lambda: what it captures by reference is shared with the function
// around it, and with whoever that one told.
// fix: hoist
// want: fixed
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Text {
  std::vector<std::uint8_t> out;
  std::vector<int> in;
};

void run(Text &t, int shift) {
  for (int round = 0; round < 2; round++) {
    auto pack = [&] {
      for (std::size_t i = 0; i < t.in.size(); i++) // HERE
        t.out[i] = t.in[i] >> shift;
    };
    pack();
  }
}

int main() {
  Text t{std::vector<std::uint8_t>(100), std::vector<int>(100)};
  for (int i = 0; i < 100; i++)
    t.in[i] = i * i;
  run(t, 3);
  unsigned sum = 0;
  for (std::uint8_t b : t.out)
    sum = 31 * sum + b;
  std::printf("%u\n", sum);
}
