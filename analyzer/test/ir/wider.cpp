// flags: -O3
#include <cstddef>
#include <cstdint>

// As written the sum is made of four integers at a time, since the base has to
// be loaded as one; a base in a register is cut to a byte, and sixteen are added.
void brighten(uint8_t *out, const uint8_t *in, const int *base, int n) {
  for (int i = 0; i < n; ++i) // want: char wider-vectors retyped,hoisted loads=0.25>0.0625
    out[i] = in[i] + *base;
}

// The product needs all bits of the base: the vectors stay as they are.
void scale(uint8_t *out, const float *in, const float *base, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = (uint8_t)(int)(in[i] * *base);
}

// Twice as wide, and twice as much work for each vector.
void average(uint8_t *out, const uint8_t *in, const uint16_t *base, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = (in[i] * *base + 128) >> 8;
}
