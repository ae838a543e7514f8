/* Writes uncompressed deflate blocks with zopfli's own function. */
#include "deflate.c"
#include <stdio.h>

int main(void) {
  static unsigned char in[1 << 20];
  unsigned long sum = 0;
  int n;
  size_t i;
  void (*volatile add)(const ZopfliOptions *, int, const unsigned char *, size_t, size_t, unsigned char *, unsigned char **,
                       size_t *) = AddNonCompressedBlock; /* not inlined */
  for (i = 0; i < sizeof in; i++)
    in[i] = (unsigned char)(i * 7);
  for (n = 0; n < 300; n++) {
    unsigned char *out = 0, bp = 0;
    size_t size = 0;
    ZopfliOptions options;
    ZopfliInitOptions(&options);
    add(&options, 1, in, 0, sizeof in, &bp, &out, &size);
    sum = sum * 31 + out[(size_t)n * 997 % size] + size;
    free(out);
  }
  printf("%lu\n", sum);
  return 0;
}
