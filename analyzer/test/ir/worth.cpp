// flags: -O2
#include <cctype>
#include <cstddef>
#include <string>

struct Output {
  unsigned char *data;
  size_t used;
};

// The cursor is loaded and stored in memory for every byte. A local in its
// place is written back behind the loop.
void append(Output &out, const int *in, int n) {
  for (int i = 0; i < n; ++i) // want: char vectorised retyped,hoisted counts
    out.data[out.used++] = (unsigned char)(in[i] >> 4);
}

// The call costs more than the loads of bound and pointer.
void lower(std::string &text) {
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = char(std::tolower(text[i]));
}

struct Header {
  unsigned char *data;
  int *counts;
};

// Four iterations in a row save nothing that anyone could measure.
void putWord(Header &h, unsigned word) {
  for (int i = 0; i < 4; ++i)
    h.data[i] = (unsigned char)(word >> (8 * i));
}

// Four iterations for each word do; unrolled they are the outer loop's.
void putWords(Header &h, const unsigned *words, int n) {
  for (int j = 0; j < n; ++j) // want: char fewer-loads retyped,hoisted
    for (int i = 0; i < 4; ++i)
      h.data[4 * j + i] = (unsigned char)(words[j] >> (8 * i));
}

struct Codes {
  unsigned char *out;
  int errors;
};

// The loads that bytes repeat stand where an iteration hardly ever gets.
long sumKnown(Codes &c, const long *__restrict in, const long *__restrict table, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += table[in[i] & 255] + table[(in[i] >> 8) & 255] + table[(in[i] >> 16) & 255];
    if (__builtin_expect(in[i] < 0, 0)) {
      c.out[0] = 1;
      c.out[1] = 2;
      c.out[2] = 3;
    }
  }
  return sum;
}

struct Image {
  int height;
  int width;
  unsigned char *flags;
};

// The inner loop takes all the time; the bound of the outer one does not matter.
long rows(Image &m, const long *__restrict pixels, long stride) {
  long sum = 0;
  for (int y = 0; y < m.height; ++y) {
    m.flags[y] = 1;
    for (long x = 0; x < stride; ++x)
      sum += pixels[y * stride + x] ^ pixels[(x * x) & 1023];
  }
  return sum;
}
