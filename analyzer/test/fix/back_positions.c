// fix: hoist
// flags: -O2
// want: assumed: the store, of the type that `*bits` has, goes elsewhere
// Two counters behind parameters: either may be where the other is, which a person has
// to vouch for.
#include <stddef.h>
#include <stdio.h>

__attribute__((noinline)) static void unpack(unsigned char *to, const unsigned char *from, size_t *at, size_t *bits,
                                             unsigned n) {
  unsigned i;
  for (i = 0; i < n; i++) { // HERE
    unsigned char value = from[*at];
    to[i] = (unsigned char)((value & ~(~0u << *bits)) << (8 - *bits));
    ++*at;
    *bits = 8;
  }
}

int main(void) {
  unsigned char from[8] = {1, 200, 3, 4, 55, 6, 7, 8}, to[8] = {0};
  size_t at = 1, bits = 3;
  int i;
  unpack(to, from, &at, &bits, 5);
  for (i = 0; i < 8; i++)
    printf("%d ", to[i]);
  printf("%d %d\n", (int)at, (int)bits);
  unpack(to, from, &at, &bits, 0);
  printf("%d %d\n", (int)at, (int)bits);
  return 0;
}
