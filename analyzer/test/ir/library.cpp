// flags: -O3
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The store is in the library's operator, which nobody changes; the bound and the
// pointer are loaded by the caller, who can.
void cipher(std::vector<std::byte> &text, std::byte key) {
  for (size_t i = 0; i < text.size(); ++i) // want: char vectorised hoisted loads=3>0.0625
    text[i] ^= key;
}

struct Rows {
  uint8_t *upper;
  uint8_t *lower;
  size_t width;
};

void exchange(Rows &r) {
  for (size_t i = 0; i < r.width; ++i) // want: char vectorised hoisted loads=5>0.125
    std::swap(r.upper[i], r.lower[i]);
}

// Where the string ends is loaded and stored in push_back itself: the caller has
// no local for it.
void escape(const char *__restrict in, size_t n, std::string &out) {
  for (size_t i = 0; i < n; ++i)
    out.push_back(in[i]);
}

// Its own size decides how long it grows.
void pad(std::string &line, size_t width) {
  while (line.size() < width)
    line += ' ';
}
