#include "split.h"

void split(const std::string &in, std::vector<uint8_t> &out) {
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = in[i] >> 5;
    out[i + in.size()] = in[i] & 0x1f;
  }
}
