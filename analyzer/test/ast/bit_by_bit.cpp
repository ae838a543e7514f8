// One bit after the other, by load, change and store.
#include <cstdint>
#include <vector>

void pack(uint8_t *out, const float *in, int n) {
  for (int i = 0; i < n; i++) // expect: bit-by-bit
    if (in[i] > 0)
      out[i >> 3] |= 1 << (i & 7);
}

void packWords(std::vector<uint64_t> &out, const bool *in, unsigned n) {
  for (unsigned i = 0; i < n; ++i) // expect: bit-by-bit
    out[i / 64] |= uint64_t(in[i]) << (i % 64);
}

void clear(uint32_t *out, const int *in, int n, int from) {
  for (int i = 0; i < n; i++) // expect: bit-by-bit
    if (!in[i])
      out[(from + i) >> 5] &= ~(1u << ((from + i) & 31));
}

void again(uint8_t *out, const int *in, int n) {
  for (int i = 0; i < n; i++) // expect: bit-by-bit
    out[i / 8] = out[i / 8] | (uint8_t)((in[i] & 1) << (7 - i % 8));
}

// What follows cannot be collected, or is no bit.

void scattered(uint8_t *out, const int *in, int n) {
  for (int i = 0; i < n; i++) {
    int k = in[i];
    out[k >> 3] |= 1 << (k & 7);
  }
}

void one(uint8_t *out, int i) { out[i >> 3] |= 1 << (i & 7); }

void pairs(uint8_t *out, const uint8_t *in, int n) {
  for (int i = 0; i < n; i++)
    out[i >> 1] += in[i];
}

int read(const uint8_t *in, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s |= in[i >> 3] & (1 << (i & 7));
  return s;
}

void masks(uint8_t *out, int n) {
  for (int i = 0; i < n; i++)
    out[i] |= 1 << (i & 7);
}

void steps(uint8_t *out, int n) {
  for (int i = 0; i < n; i += 9)
    out[i >> 3] |= 1 << (i & 7);
}

void bytes(uint64_t *out, const uint8_t *in, int n) {
  for (int i = 0; i < n; i++)
    out[i / 8] |= uint64_t(in[i]) << (i % 8) * 8;
}
