// fix: hoist
// flags: -O3
// want: assumed: the byte that is written is no part of `shape->rank`
// The loop around it has no place of its own in the optimised code: what is written
// there is not to be taken for this one.
#include <stdio.h>

struct Shape {
  unsigned rank;
};

struct Node {
  unsigned long long *at;
  struct Node *next;
};

#define PUT32(p, v) \
  { \
    *(p) = (unsigned char)((v)&0xff); \
    (p)++; \
    *(p) = (unsigned char)(((v) >> 8) & 0xff); \
    (p)++; \
    *(p) = (unsigned char)(((v) >> 16) & 0xff); \
    (p)++; \
    *(p) = (unsigned char)(((v) >> 24) & 0xff); \
    (p)++; \
  }

__attribute__((noinline)) static unsigned char *put(struct Shape *shape, struct Node *list, unsigned char **to) {
  unsigned char *p = *to;
  unsigned u, length = 0;
  unsigned char *head = p;
  p += 4;
  while (list != NULL) {
    length += 4 * shape->rank;

    for (u = 0; u < shape->rank; u++) // HERE
      PUT32(p, (unsigned)list->at[u]);

    list = list->next;
  }
  PUT32(head, length);
  *to = p;
  return p;
}

int main(void) {
  unsigned long long a[] = {1, 0x10203, 3}, b[] = {4, 5, 0xffffffff};
  struct Node second = {b, NULL}, first = {a, &second};
  struct Shape shape = {3};
  unsigned char out[64] = {0}, *p = out;
  put(&shape, &first, &p);
  for (int i = 0; i < 32; i++)
    printf("%d ", out[i]);
  printf("%d\n", (int)(p - out));
  return 0;
}
