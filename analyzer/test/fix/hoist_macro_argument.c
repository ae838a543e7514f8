// fix: hoist
// flags: -O2
// want: assumed: no part of
#include <stdio.h>

struct scale {
  int factor, low, high;
};

#define CLAMP(low, value, high) ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))

// The argument stands once in the file and is expanded twice or more.
void run(const struct scale *s, const int *in, unsigned char *out, int n) {
  for (int i = 0; i < n; i++) // HERE
    out[i] = (unsigned char)CLAMP(s->low, in[i] * s->factor, s->high);
}

int main(void) {
  struct scale s = {3, 10, 200};
  int in[64];
  unsigned char out[64];
  for (int i = 0; i < 64; i++)
    in[i] = 5 * i - 40;
  run(&s, in, out, 64);
  for (int i = 0; i < 64; i++)
    printf("%d ", out[i]);
  return 0;
}
