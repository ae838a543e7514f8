// Splits every byte of a string into its low five and high three bits.
#include "repeat.h"

#include <cstdint>
#include <string>
#include <vector>

struct Splitter {
  std::vector<uint8_t> out;
  void split(const std::string &in);
};

__attribute__((noinline)) void Splitter::split(const std::string &in) {
  out.resize(2 * in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = in[i] & 31;
    out[in.size() + i] = uint8_t(in[i]) >> 5;
  }
}

int main(int argc, char **argv) {
  std::string in;
  for (size_t i = 0; i < sizeArgument(argc, argv, 32768); ++i)
    in.push_back(char('A' + i * 7 % 50));
  Splitter s;
  repeat(in.size(), [&] { s.split(in); });
  return report(s.out.begin(), s.out.end());
}
