#include <cstdint>
#include <string>
#include <vector>

#ifdef EDITED
using byte_type = char8_t;
#else
using byte_type = uint8_t;
#endif

struct Splitter {
  std::vector<byte_type> out;
  void split(const std::string &in);
};

void Splitter::split(const std::string &in) {
  out.resize(2 * in.size());
  for (size_t i = 0; i < in.size(); ++i) { // loop
    out[i] = in[i] & 31;                   // low
    out[in.size() + i] = uint8_t(in[i]) >> 5; // high
  }
}
