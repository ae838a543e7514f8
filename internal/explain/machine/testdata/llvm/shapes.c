// Loops of many shapes, for the comparison with LLVM's own loop analysis.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

long sum(const int *a, size_t n) {
  long s = 0;
  for (size_t i = 0; i < n; i++)
    s += a[i];
  return s;
}

size_t length(const char *s) {
  size_t n = 0;
  while (s[n] && s[n] != '\n')
    n++;
  return n;
}

void multiply(double *restrict c, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

unsigned hash(const unsigned char *p, const unsigned char *end) {
  unsigned h = 2166136261u;
  do
    h = (h ^ *p++) * 16777619u;
  while (p < end);
  return h;
}

struct node {
  struct node *next;
  int key;
};

struct node *find(struct node *n, int key) {
  for (; n; n = n->next)
    if (n->key == key)
      return n;
  return NULL;
}

extern void event(int);

// A jump table in a loop, with a loop in one of its cases.
int machine(const unsigned char *code, long *stack) {
  long *top = stack;
  for (;;) {
    switch (*code++) {
    case 0: return (int)(top - stack);
    case 1: *top++ = *code++; break;
    case 2: top--; top[-1] += top[0]; break;
    case 3: top--; top[-1] *= top[0]; break;
    case 4: top--; top[-1] = top[0] ? top[-1] / top[0] : 0; break;
    case 5: event((int)top[-1]); break;
    case 6: {
      long n = *--top, f = 1;
      while (n > 1)
        f ^= f << (n-- & 31);
      *top++ = f;
      break;
    }
    case 7: top[-1] = -top[-1]; break;
    case 8: code += *(const signed char *)code; break;
    case 9: if (*--top) code += 2; break;
    default: abort();
    }
  }
}

// The address of every instruction's code in a table.
long threaded(const unsigned char *code, long x) {
  static const void *const table[] = {&&stop, &&increment, &&twice, &&negate, &&repeat};
#define NEXT goto *table[*code++]
  NEXT;
increment:
  x++;
  NEXT;
twice:
  x *= 2;
  NEXT;
negate:
  x = -x;
  NEXT;
repeat:
  for (long i = 0; i < x; i++)
    event((int)i);
  NEXT;
stop:
  return x;
}

void sort(int *a, int n) {
  for (int i = 1; i < n; i++) {
    int x = a[i], j = i - 1;
    while (j >= 0 && a[j] > x) {
      a[j + 1] = a[j];
      j--;
    }
    a[j + 1] = x;
  }
}

// Goes back from two places, and out of two loops at once.
int scan(const char *s, const char *stops) {
  int depth = 0;
again:
  for (; *s; s++) {
    for (const char *p = stops; *p; p++)
      if (*p == *s) {
        if (*s == '(') {
          depth++;
          s++;
          goto again;
        }
        if (*s == ')' && --depth < 0)
          return (int)(p - stops);
      }
  }
  return depth;
}

void checked(const int *a, int n, int limit) {
  for (int i = 0; i < n; i++) {
    if (a[i] > limit)
      abort();
    event(a[i]);
  }
}

uint32_t crc(uint32_t c, const uint8_t *p, size_t n) {
  while (n--) {
    c ^= *p++;
    for (int k = 0; k < 8; k++)
      c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
  }
  return c;
}

int compare(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return *(const unsigned char *)a - *(const unsigned char *)b;
}

void transpose(float *a, const float *b, int rows, int columns) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      a[c * rows + r] = b[r * columns + c];
}

int count(const uint64_t *words, int n) {
  int out = 0;
  for (int i = 0; i < n; i++)
    for (uint64_t w = words[i]; w; w &= w - 1)
      out++;
  return out;
}

const char *name(int kind) {
  switch (kind) {
  case 0: return "zero";
  case 1: return "one";
  case 2: return "two";
  case 3: return "three";
  case 4: return "four";
  case 5: return "five";
  default: return NULL;
  }
}

int total(const int *kinds, int n) {
  int out = 0;
  for (int i = 0; i < n; i++) {
    const char *s = name(kinds[i]);
    for (; s && *s; s++)
      out += *s;
  }
  return out;
}
