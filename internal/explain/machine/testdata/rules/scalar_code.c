// Positive and negative functions of the rules, compiled without the vectoriser.
// A function yes_RULE_… has a match of the rule (with - for _), no_RULE_… has none.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern void sink(long);

// -- machine-division
long yes_division_modulo(const unsigned long *a, long n, unsigned long size) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] % size;
  return s;
}

struct table {
  int buckets;
  const int *keys;
  int n;
};
long yes_division_signed(const struct table *t, int n, int by) {
  long s = 0;
  for (int i = 0; i < n; i++)
    s ^= t->keys[i] / by;
  return s;
}

long no_division_changes(const unsigned long *a, const unsigned long *b, long n) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] % b[i];
  return s;
}

unsigned long no_division_gcd(unsigned long a, unsigned long b) {
  while (b) {
    unsigned long t = a % b;
    a = b;
    b = t;
  }
  return a;
}

long no_division_constant(const unsigned *a, long n) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] % 1000;
  return s;
}

// -- machine-reload
struct buffer {
  unsigned char *data;
  size_t size;
};
void yes_reload_size(struct buffer *b, unsigned char x) {
  for (size_t i = 0; i < b->size; i++)
    b->data[i] = x ^ (unsigned char)i;
}

void no_reload_local(struct buffer *b, unsigned char x) {
  size_t n = b->size;
  unsigned char *d = b->data;
  for (size_t i = 0; i < n; i++)
    d[i] = x ^ (unsigned char)i;
}

struct words {
  uint32_t *data;
  size_t size;
};
void no_reload_words(struct words *b, uint32_t x) {
  for (size_t i = 0; i < b->size; i++)
    b->data[i] = x ^ (uint32_t)i;
}

// The size is what the loop changes.
void no_reload_grows(struct buffer *b, const char *s) {
  for (; *s; s++) {
    b->data[b->size] = (unsigned char)(*s ^ 7);
    b->size++;
  }
}

void no_reload_calls(struct buffer *b) {
  for (size_t i = 0; i < b->size; i++) {
    b->data[i] = 0;
    sink((long)i);
  }
}

// -- machine-forwarding
struct pair {
  volatile uint32_t low, high;
};
uint64_t yes_forwarding_halves(struct pair *p, uint32_t a, long n) {
  uint64_t s = 0;
  for (long i = 0; i < n; i++) {
    p->low = a;
    p->high = a + 1;
    s += *(volatile uint64_t *)p;
  }
  return s;
}

uint64_t no_forwarding_same(volatile uint64_t *p, uint64_t a, long n) {
  uint64_t s = 0;
  for (long i = 0; i < n; i++) {
    *p = a;
    s += *p;
  }
  return s;
}

uint64_t no_forwarding_narrower(volatile uint64_t *p, uint64_t a, long n) {
  uint64_t s = 0;
  for (long i = 0; i < n; i++) {
    *p = a;
    s += *(volatile uint32_t *)p;
  }
  return s;
}

uint64_t no_forwarding_beside(struct pair *p, uint32_t a, long n) {
  uint64_t s = 0;
  for (long i = 0; i < n; i++) {
    p[1].low = a;
    s += *(volatile uint64_t *)p;
  }
  return s;
}

// -- machine-checksum
uint32_t yes_checksum_bit(uint32_t c, const uint8_t *p, size_t n) {
  while (n--) {
    c ^= *p++;
    for (int k = 0; k < 8; k++)
      c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
  }
  return c;
}

uint32_t yes_checksum_bit_high(uint32_t c, const uint8_t *p, size_t n) {
  while (n--) {
    c ^= (uint32_t)*p++ << 24;
    for (int k = 0; k < 8; k++)
      c = c << 1 ^ (0x04c11db7u & -(c >> 31));
  }
  return c;
}

// Four entries of the table of CRC-32: enough to be told by.
static const uint32_t powers[256] = {[1] = 0x77073096u, [2] = 0xee0e612cu, [128] = 0xedb88320u, [255] = 0x2d02ef8du};
uint32_t yes_checksum_byte(uint32_t c, const uint8_t *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    c = powers[(c ^ p[i]) & 0xff] ^ c >> 8;
  return c;
}

// A hash of another kind: multiplications.
uint32_t no_checksum_hash(const uint8_t *p, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * 16777619u;
  return h;
}

static const uint32_t others[256] = {[1] = 5, [128] = 77, [255] = 9};
uint32_t no_checksum_table(uint32_t c, const uint8_t *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    c = others[(c ^ p[i]) & 0xff] ^ c >> 8;
  return c;
}

// -- machine-scalar
void yes_scalar_map(uint8_t *restrict out, const uint8_t *restrict in, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = (uint8_t)((in[i] ^ 0x20) + 3);
}

unsigned yes_scalar_sum(const uint8_t *p, size_t n) {
  unsigned s = 0;
  for (size_t i = 0; i < n; i++)
    s += p[i];
  return s;
}

// Ends where the data says.
size_t no_scalar_search(const char *s, char c) {
  size_t i = 0;
  while (s[i] != c)
    i++;
  return i;
}

// Each step needs the one before.
uint32_t no_scalar_chain(const uint8_t *p, size_t n) {
  uint32_t h = 1;
  for (size_t i = 0; i < n; i++)
    h = (h << 5) ^ (h >> 3) ^ p[i];
  return h;
}

// Not consecutive.
unsigned no_scalar_stride(const uint8_t *p, size_t n) {
  unsigned s = 0;
  for (size_t i = 0; i < n; i++)
    s += p[i * 64];
  return s;
}

unsigned no_scalar_table(const uint8_t *p, const uint8_t *t, size_t n) {
  unsigned s = 0;
  for (size_t i = 0; i < n; i++)
    s += t[p[i]];
  return s;
}

// What is stored is loaded in the next iteration.
void no_scalar_prefix(uint8_t *p, size_t n) {
  uint8_t last = 0;
  for (size_t i = 0; i < n; i++)
    last = p[i] = (uint8_t)(p[i] + last);
}

// -- machine-atomic
void yes_atomic_count(long *total, const int *a, long n) {
  for (long i = 0; i < n; i++)
    if (a[i] > 0)
      __atomic_fetch_add(total, 1, __ATOMIC_RELAXED);
}

long no_atomic_load(long *total, const int *a, long n) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s += __atomic_load_n(total, __ATOMIC_ACQUIRE) + a[i];
  return s;
}

// -- machine-x87
long double yes_x87_sum(const long double *a, long n) {
  long double s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] * a[i];
  return s;
}

double no_x87_sum(const double *a, long n) {
  double s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] * a[i];
  return s;
}

// -- machine-rep
void yes_rep_copy(char *to, const char *from, const unsigned *sizes, long n) {
  for (long i = 0; i < n; i++) {
    char *d = to;
    unsigned long c = sizes[i];
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(c)::"memory");
  }
}

// -- machine-own-call
__attribute__((noinline)) int exported(int x) {
  __asm__ volatile("");
  return x * 3;
}
__attribute__((noinline)) static int hidden(int x) {
  __asm__ volatile("");
  return x * 5;
}
int yes_own_call_exported(const int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += exported(a[i]);
  return s;
}

int no_own_call_hidden(const int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += hidden(a[i]);
  return s;
}

void no_own_call_other(const int *a, int n) {
  for (int i = 0; i < n; i++)
    sink(a[i]);
}
