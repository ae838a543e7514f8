// Loops that have all in common but their place.
#pragma once
#include <cstddef>
#include <vector>

struct Text {
  unsigned char *out;
  const int *in;
  std::size_t n;
  int shift;
};

template <class T> struct Row {
  T *out;
  std::size_t n;
  void clear(int x) {
    for (std::size_t i = 0; i < n; i++) out[i] = x;
  }
  void clear(char x) {
    for (std::size_t i = 0; i < n; i++) out[i] = x;
  }
};

template <class T> void fill(Text &s, T x) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = x;
}
template <class T> void fill(Text &s, T x, int) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = x;
}

// Each unit takes another branch.
#ifdef OTHER
inline void branch(Text &s) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
}
#else
inline void branch(Text &s) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
}
#endif
