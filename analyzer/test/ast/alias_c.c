/* C: the same rules without classes; every enum aliases like char there. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
  char *at;
  size_t length;
};

enum colour { RED, GREEN };


static inline size_t text_len(const struct text *t) { return t->length; }

/* The bound behind a static inline accessor. */
void blank(const struct text *t, char *out) {
  for (size_t i = 0; i < text_len(t); ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    out[i] = ' ';
}

/* An enum of C has no linkage. */
void paint(const struct text *t, enum colour *out) {
  for (size_t i = 0; i < t->length; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    out[i] = RED;
}

/* Pointer and length are members, both are loaded again. */
void upper(struct text *t) {
  for (size_t i = 0; i < t->length; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    t->at[i] &= 0x5f;
}

/* *p++ through a pointer in memory. */
void emit(char **cursor, const int *from, int n) {
  for (int i = 0; i < n; ++i) // expect: alias-pointer-dereference
    *(*cursor)++ = from[i];
}

/* A private struct. */
void privateText(char *out, size_t n) {
  struct text t = {out, n};
  for (size_t i = 0; i < t.length; ++i)
    out[i] = ' ';
}

/* restrict */
void promised(const struct text *restrict t, char *restrict out) {
  for (size_t i = 0; i < t->length; ++i)
    out[i] = ' ';
}

/* memset is a call. */
void cleared(struct text *t, int n) {
  for (int i = 0; i < n; ++i)
    memset(t->at, 0, t->length);
}
