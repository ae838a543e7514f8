// flags: -O3
#include <cstddef>
#include <cstdint>

struct Buffer {
  size_t limit;
  unsigned char *data;
};

// Inlined into its only caller and dropped: there the bound and the pointer are
// locals that nobody else can see.
static void fillStatic(Buffer &b, const int *in) {
  for (size_t i = 0; i < b.limit; ++i)
    b.data[i] = (unsigned char)(in[i] >> 3);
}

// The same of an inline function, which a copy of its own would be dropped of.
inline void fillInline(Buffer &b, const int *in) {
  for (size_t i = 0; i < b.limit; ++i)
    b.data[i] = (unsigned char)(in[i] >> 4);
}

size_t sum(const int *in, size_t n, unsigned char *to) {
  Buffer one{n, to}, two{n / 2, to + n};
  fillStatic(one, in);
  fillInline(two, in);
  return one.limit + two.limit;
}

// Both copies are in the object file: the inlined one knows its bound, the
// function's own does not.
void fillShared(Buffer &b, const int *in) {
  for (size_t i = 0; i < b.limit; ++i) // want: char vectorised retyped,hoisted
    b.data[i] = (unsigned char)(in[i] >> 5);
}

void known(const int *in, size_t n, unsigned char *to) {
  Buffer one{n, to};
  fillShared(one, in);
}

// Inlined everywhere too, but the callers' loops load again: they are the copies
// that run.
static inline void fillHidden(Buffer *b, const int *in) {
  for (size_t i = 0; i < b->limit; ++i)
    b->data[i] = (unsigned char)(in[i] >> 6);
}

void hidden(Buffer *b, const int *in) {
  fillHidden(b, in); // want: char vectorised retyped,hoisted
}

// No byte that is written is the bound or the pointer: nobody takes their address.
// Nor are they constants, though only another function writes them.
static size_t limit;
static unsigned char *target;

void configure(size_t n, unsigned char *to) {
  limit = n;
  target = to;
}

void toTarget(const int *in) {
  for (size_t i = 0; i < limit; ++i)
    target[i] = (unsigned char)(in[i] >> 7);
}
