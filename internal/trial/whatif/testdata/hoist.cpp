#include <cstddef>

struct Text {
  const char *in;
  char *out;
  size_t length;
  int shift;
  void rotate();
};

#ifdef EDITED
void Text::rotate() {
  const char *from = in;
  char *to = out;
  const size_t end = length;
  const int by = shift;
  for (size_t i = 0; i < end; ++i)
    to[i] = from[i] + by;
}
#else
void Text::rotate() {
  for (size_t i = 0; i < length; ++i) // loop
    out[i] = in[i] + shift;           // write
}
#endif
