// flags: -std=c++20 -O2
// The method of a class inside a function, itself inside a loop.
// fix: hoist
// want: fixed
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

unsigned run(std::vector<std::uint8_t> &out, const std::vector<int> &in) {
  for (int round = 0; round < 2; round++) {
    struct Pack {
      std::vector<std::uint8_t> &out;
      const std::vector<int> &in;
      void operator()() const {
        for (std::size_t i = 0; i < in.size(); i++) // HERE
          out[i] = in[i] >> 2;
      }
    };
    Pack{out, in}();
  }
  return out[5];
}

int main() {
  std::vector<std::uint8_t> a(100);
  std::vector<int> in(100, 77);
  std::printf("%u\n", run(a, in));
}
