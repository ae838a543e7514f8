// flags: -O3
#include <cstddef>

struct Flags {
  unsigned kind : 3;
  unsigned count : 5;
};
struct Limits {
  int count;
  int *values;
};

// A bit-field store has no type: it changes everything in reach.
void setFlags(Flags *flags, Limits *limits) {
  for (int i = 0; i < limits->count; ++i) { // want: bitfield fewer-loads retyped,hoisted loads=4>1
    flags[i].kind = 1;
    flags[i].count = limits->values[i];
  }
}

struct Node;
struct Table {
  Node **slots;
  long count;
};

// A store of any pointer reloads every pointer.
void fillTable(Table *t, Node *n) {
  for (long i = 0; i < t->count; ++i) // want: pointer vectorised hoisted
    t->slots[i] = n;
}

struct Sizes {
  size_t *out;
  size_t count;
};

void number(Sizes *s) {
  for (size_t i = 0; i < s->count; ++i) // want: size vectorised hoisted
    s->out[i] = i;
}

struct Gauge {
  volatile int offset;
  volatile int ready;
};

// Nobody waits for the value: it is only read again and again.
void shift(Gauge *g, int *data, int n) {
  for (int i = 0; i < n; ++i) // want: volatile vectorised retyped
    data[i] += g->offset;
}

// The exit waits for the value: without volatile the loop would never end.
void wait(Gauge *g) {
  while (!g->ready)
    ;
}

// Without volatile this loop would be dead, which makes nothing faster.
void delay() {
  for (volatile int i = 0; i < 1000; ++i)
    ;
}
