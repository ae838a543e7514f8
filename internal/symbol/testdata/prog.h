#pragma once

static inline int mix(int x) {
  x ^= x << 3;
  return x * 2654435;
}

template <typename T>
inline T square(T x) {
  return x * x + mix(static_cast<int>(x));
}

inline int twice(int x) { return square(x) + square(x + 1); }
