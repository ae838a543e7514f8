// Loads, and where their addresses come from. wait_KIND_… has a load of that kind with
// its address; silent_… has none that a wait could be about, product_… multiplies by one.
#include <stddef.h>
#include <stdint.h>

struct node {
  struct node *next;
  long key, value;
};

long wait_chase_list(const struct node *n) {
  long s = 0;
  for (; n; n = n->next)
    s++;
  return s;
}

long wait_pointer_array(struct node *const *all, long n) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s ^= all[i]->value;
  return s;
}

// Where the pointers are, is kept in memory: the register of one is that of the other.
long wait_pointer_kept(struct node *const *first, struct node *const *end) {
  struct node *const *volatile at = first;
  long s = 0;
  for (; at != end; at++)
    s ^= (*at)->value;
  return s;
}

uint64_t wait_table_hash(const uint64_t *table, const uint32_t *keys, long n) {
  uint64_t s = 0;
  for (long i = 0; i < n; i++)
    s ^= table[(keys[i] * 2654435761u) >> 8];
  return s;
}

uint64_t wait_table_added(const uint64_t *const *table, uint64_t key) { return (*table)[key >> 40]; }

struct node *wait_chase_bucket(struct node *n, long key) {
  while (n && n->key != key)
    n = n->next;
  return n;
}

// A tree in an array: the index of the child is what was loaded.
uint32_t wait_chase_tree(const uint32_t *tree, const uint32_t *keys, uint32_t at, uint32_t key) {
  while (at && keys[at & 0xffff] != key)
    at = tree[2 * (at & 0xffff) + (keys[at & 0xffff] < key)];
  return at;
}

// Down a column: each pass is a row further.
int64_t wait_rows_column(const int64_t *a, long width, long height) {
  int64_t s = 0;
  for (long y = 0; y < height; y++)
    s ^= a[y * width + 3];
  return s;
}

// A product takes what is in memory as it is, and sums wait for it elsewhere.
float wait_rows_weighted(const float *a, const float *weights, long width, int many) {
  float s = 0;
  for (int i = 0; i < many; i++)
    s += weights[i] * a[(long)i * width];
  return s;
}

struct grid { int width; const int *cells; };
int wait_rows_member(const struct grid *g, int x, int height, int *out) {
  int s = 0;
  for (int y = 0; y < height; y++) {
    s ^= g->cells[(long)y * g->width + x];
    out[y] = s; // may be the width
  }
  return s;
}

// What is looked up does not lead to the next look-up.
uint32_t wait_table_chain(const uint32_t *table, uint32_t seed, long n) {
  uint32_t s = 0;
  for (long i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    s += table[seed >> 8];
  }
  return s;
}

long wait_object_first(const struct node *n) { return n->key; }

long silent_walk(const int *a, long n) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s ^= a[i] * 3l;
  return s;
}

long silent_stack(long n) {
  volatile long slots[8];
  for (int i = 0; i < 8; i++)
    slots[i] = n;
  return slots[3];
}

static volatile long shared;
long silent_global(void) { return shared + 1; }

double product_of(const double *const *p) { return **p * 3.5; }

// One field of large elements, looked up by an index from a list.
struct wide { char name[300]; float at; };
float spread_field(const struct wide *all, const unsigned *which, long n) {
  float s = 0;
  for (long i = 0; i < n; i++) {
    float v = all[which[i]].at;
    s += v > 1 ? v : 1;
  }
  return s;
}

// Small elements.
struct narrow { float at, size; };
float dense_field(const struct narrow *all, const unsigned *which, long n) {
  float s = 0;
  for (long i = 0; i < n; i++) {
    float v = all[which[i]].at;
    s += v > 1 ? v : 1;
  }
  return s;
}

struct item {
  int32_t index, count;
};
struct row {
  const struct item *items;
  int32_t size;
};

// Each row begins where a pointer says.
int64_t wait_run_rows(const struct row *rows, const int32_t *which, long n, int64_t *sums) {
  for (long i = 0; i < n; i++) {
    const struct row *r = &rows[which[i]];
    for (int32_t k = 0; k < r->size; k++) {
      if (!sums[r->items[k].index])
        continue;
      sums[r->items[k].index] += r->items[k].count;
    }
  }
  return sums[0];
}

// One row goes on where the one before has ended.
int64_t silent_rows_behind_each_other(const struct item *all, const int32_t *sizes, long n) {
  int64_t s = 0;
  for (long i = 0; i < n; i++)
    for (int32_t k = 0; k < sizes[i]; k++)
      s ^= (all++)->count;
  return s;
}
