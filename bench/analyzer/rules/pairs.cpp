// Each new source rule, as its finding has it (a) and as its page proposes (b).
//   pairs RULE a|b     prints a number that both must agree on
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

NOINLINE int kindA(const std::string &s) {
  std::map<std::string, int> kinds = {{"if", 1}, {"else", 2}, {"while", 3}, {"for", 4}, {"do", 5}, {"return", 6}};
  auto it = kinds.find(s);
  return it == kinds.end() ? 0 : it->second;
}
NOINLINE int kindB(const std::string &s) {
  static const std::map<std::string, int> kinds = {{"if", 1}, {"else", 2}, {"while", 3}, {"for", 4}, {"do", 5}, {"return", 6}};
  auto it = kinds.find(s);
  return it == kinds.end() ? 0 : it->second;
}

NOINLINE long weighA(std::vector<int> v, int k) { long t = 0; for (int x : v) t += x ^ k; return t; }
NOINLINE long weighB(const std::vector<int> &v, int k) { long t = 0; for (int x : v) t += x ^ k; return t; }

NOINLINE void packA(uint8_t *out, const float *in, int n) {
  for (int i = 0; i < n; i++)
    if (in[i] > 0)
      out[i >> 3] |= 1 << (i & 7);
}
NOINLINE void packB(uint8_t *out, const float *in, int n) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    unsigned byte = 0;
    for (int k = 0; k < 8; k++)
      byte |= unsigned(in[i + k] > 0) << k;
    out[i >> 3] = byte;
  }
  unsigned byte = 0;
  for (int k = 0; i + k < n; k++)
    byte |= unsigned(in[i + k] > 0) << k;
  if (i < n)
    out[i >> 3] = byte;
}

NOINLINE void sumA(unsigned *out, const uint8_t *in, int width, int channels) {
  unsigned sum[4] = {};
  for (int x = 0; x < width; x++)
    for (int c = 0; c < channels; c++)
      sum[c] += in[x * channels + c];
  memcpy(out, sum, sizeof sum);
}
template <int N> static void sumOf(unsigned *out, const uint8_t *in, int width) {
  unsigned sum[4] = {};
  for (int x = 0; x < width; x++)
#pragma GCC unroll 4
    for (int c = 0; c < N; c++)
      sum[c] += in[x * N + c];
  memcpy(out, sum, sizeof sum);
}
NOINLINE void sumB(unsigned *out, const uint8_t *in, int width, int channels) {
  switch (channels) {
  case 1: return sumOf<1>(out, in, width);
  case 2: return sumOf<2>(out, in, width);
  case 3: return sumOf<3>(out, in, width);
  case 4: return sumOf<4>(out, in, width);
  }
}

NOINLINE void turnA(float *out, const float *in, int width, int height) {
  for (int x = 0; x < width; x++)
    for (int y = 0; y < height; y++)
      out[x * height + y] = in[y * width + x];
}
NOINLINE void turnB(float *out, const float *in, int width, int height) {
  const int B = 16;
  for (int y0 = 0; y0 < height; y0 += B)
    for (int x0 = 0; x0 < width; x0 += B)
      for (int x = x0; x < x0 + B && x < width; x++)
        for (int y = y0; y < y0 + B && y < height; y++)
          out[x * height + y] = in[y * width + x];
}
NOINLINE double downA(const float *in, int width, int height, std::vector<double> &sums) {
  for (int x = 0; x < width; x++)
    for (int y = 0; y < height; y++)
      sums[x] += in[y * width + x];
  return sums[7];
}
NOINLINE double downB(const float *in, int width, int height, std::vector<double> &sums) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      sums[x] += in[y * width + x];
  return sums[7];
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::string rule = argv[1];
  const bool a = argv[2][0] == 'a';
  long out = 0;
  if (rule == "constant-container") {
    const char *words[] = {"if", "x", "while", "value", "return"};
    for (int i = 0; i < 500000; i++)
      out += (a ? kindA : kindB)(words[i % 5]);
  } else if (rule == "value-container") {
    std::vector<int> v(60);
    for (int i = 0; i < 60; i++)
      v[i] = i * 31;
    for (int i = 0; i < 3000000; i++)
      out += a ? weighA(v, i) : weighB(v, i);
  } else if (rule == "bit-by-bit") {
    std::vector<float> in(1 << 20);
    for (size_t i = 0; i < in.size(); i++)
      in[i] = int(i * 2654435761u) % 7 - 3;
    std::vector<uint8_t> bits(in.size() / 8);
    for (int r = 0; r < 60; r++) {
      if (a)
        memset(bits.data(), 0, bits.size());
      (a ? packA : packB)(bits.data(), in.data(), in.size());
    }
    for (uint8_t b : bits)
      out = out * 31 + b;
  } else if (rule == "short-loop") {
    std::vector<uint8_t> in(3 << 20);
    for (size_t i = 0; i < in.size(); i++)
      in[i] = i * 7;
    unsigned sums[4];
    for (int r = 0; r < 60; r++) {
      (a ? sumA : sumB)(sums, in.data(), in.size() / 3, 3);
      out += sums[0] + sums[2];
    }
  } else if (rule == "column-walk" || rule == "column-walk-transpose") {
    const int w = 3000, h = 2000;
    std::vector<float> in(w * h), turned(w * h);
    for (int i = 0; i < w * h; i++)
      in[i] = i % 1000;
    std::vector<double> sums(w);
    for (int r = 0; r < 8; r++) {
      if (rule == "column-walk")
        out += (a ? downA : downB)(in.data(), w, h, sums);
      else {
        (a ? turnA : turnB)(turned.data(), in.data(), w, h);
        out += turned[r * 77];
      }
    }
  } else {
    return 2;
  }
  printf("%ld\n", out);
}
