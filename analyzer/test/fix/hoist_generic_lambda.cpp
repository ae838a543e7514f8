// flags: -std=c++20 -O2
// A generic lambda, called with two types.
// fix: hoist
// want: fixed
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

template <class Out> void run(Out &out, const std::vector<int> &in) {
  auto pack = [&](auto shift) {
    for (std::size_t i = 0; i < in.size(); i++) // HERE
      out[i] = in[i] >> shift;
  };
  pack(1);
  pack(2L);
}

void use(std::vector<std::uint8_t> &out, const std::vector<int> &in) { run(out, in); }

int main() {
  std::vector<std::uint8_t> a(100);
  std::vector<int> in(100, 77);
  use(a, in);
  unsigned sum = 0;
  for (std::uint8_t b : a)
    sum = 31 * sum + b;
  std::printf("%u\n", sum);
}
