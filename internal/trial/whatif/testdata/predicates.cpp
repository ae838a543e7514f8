#include <cstddef>

struct Flags {
  unsigned seen : 1, rest : 31;
};

struct Work {
  Flags *flags;
  const int *in;
  size_t size;
  void **slots;
  size_t *counts;
  volatile int tick;

  void bitfield();
  void pointer(void *p);
  void sizes();
  int ticks();
};

void Work::bitfield() {
  for (size_t i = 0; i < size; ++i) // bitfield loop
    flags[i].seen = in[i] > 0;      // bitfield
}

void Work::pointer(void *p) {
  for (size_t i = 0; i < size; ++i) // pointer loop
    slots[i] = p;                   // pointer
}

void Work::sizes() {
  for (size_t i = 0; i < size; ++i) // size loop
    counts[i] = i;                  // size
}

int Work::ticks() {
  int sum = 0;
  for (size_t i = 0; i < size; ++i) // volatile loop
    sum += in[i] + tick;            // volatile
  return sum;
}
