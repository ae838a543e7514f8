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

// Without a frame pointer %rbp is a register like any other. Written by hand: which
// register a compiler takes is its own affair.
void yes_reload_rbp(struct buffer *b, unsigned char x);
void no_reload_frame(unsigned char *p, long n);
__asm__(".text\n"
        ".globl yes_reload_rbp\n"
        ".type yes_reload_rbp, @function\n"
        "yes_reload_rbp:\n"
        ".cfi_startproc\n"
        "  push %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  mov %rdi, %rbp\n"
        "  xor %eax, %eax\n"
        "1: mov (%rbp), %rdx\n"
        "  mov %sil, (%rdx,%rax)\n"
        "  add $1, %rax\n"
        "  cmp 8(%rbp), %rax\n"
        "  jb 1b\n"
        "  pop %rbp\n"
        "  .cfi_def_cfa_offset 8\n"
        "  ret\n"
        ".cfi_endproc\n"
        ".size yes_reload_rbp, . - yes_reload_rbp\n"
        ".globl no_reload_frame\n"
        ".type no_reload_frame, @function\n"
        "no_reload_frame:\n"
        ".cfi_startproc\n"
        "  push %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  mov %rsp, %rbp\n"
        "  mov %rsi, -8(%rbp)\n"
        "  xor %eax, %eax\n"
        "1: mov %al, (%rdi,%rax)\n"
        "  add $1, %rax\n"
        "  cmp -8(%rbp), %rax\n"
        "  jb 1b\n"
        "  pop %rbp\n"
        "  .cfi_def_cfa_offset 8\n"
        "  ret\n"
        ".cfi_endproc\n"
        ".size no_reload_frame, . - no_reload_frame\n");

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

// What is stored may be a member of costs, as far as the compiler knows.
struct costs {
  int open, extend, best;
};
void yes_reload_members(const struct costs *c, int *h, int *d, long n) {
  int last = 0;
  for (long j = 0; j < n; j++) {
    int a = h[j] - c->open;
    last = (last > a ? last : a) - c->extend;
    d[j] = last;
  }
}
void no_reload_one(const struct costs *c, int *h, int *d, long n) {
  int last = 0;
  for (long j = 0; j < n; j++) {
    last = last > h[j] ? last : h[j] - c->open;
    d[j] = last;
  }
}
void no_reload_locals(const struct costs *c, int *h, int *d, long n) {
  int last = 0, open = c->open, extend = c->extend;
  for (long j = 0; j < n; j++) {
    int a = h[j] - open;
    last = (last > a ? last : a) - extend;
    d[j] = last;
  }
}
void yes_reload_beside(struct costs *c, int *h, int *d, long n) {
  for (long j = 0; j < n; j++) {
    int a = h[j] - c->open - c->extend;
    c->best = c->best > a ? c->best : a;
    d[j] = a;
  }
}
void no_reload_elsewhere(const struct costs *c, int *h, int *d, long n, int *best) {
  for (long j = 0; j < n; j++) {
    int a = h[j] - c->open - c->extend;
    *best = *best > a ? *best : a;
    d[j] = a;
  }
}

// The size is what the loop changes; where the data are it does not.
void yes_reload_grows(struct buffer *b, const char *s) {
  for (; *s; s++) {
    b->data[b->size] = (unsigned char)(*s ^ 7);
    b->size++;
  }
}

// What is stored elsewhere may change it.
void no_reload_pointers(struct buffer *b, unsigned char **lines, long n) {
  for (long i = 0; i < n; i++) {
    lines[i] = b->data + i;
    b->data[i] = 0;
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

// Not a sum: what is looked up has nothing to do with what was before.
uint32_t no_checksum_keys(uint32_t *out, const uint8_t *p, size_t n) {
  uint32_t last = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t c = powers[p[i]] ^ p[i + 1];
    out[c & 0x3ff] = last;
    last = (c ^ (uint32_t)p[i + 2] << 8) & 0xffff;
  }
  return last;
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

void yes_scalar_axpy(float *restrict y, const float *restrict x, float a, long n) {
  for (long i = 0; i < n; i++)
    y[i] += a * x[i];
}

void yes_scalar_clamp(double *restrict y, const double *restrict x, double most, long n) {
  for (long i = 0; i < n; i++)
    y[i] = x[i] < most ? x[i] : most;
}

void yes_scalar_convert(float *restrict y, const int *restrict x, long n) {
  for (long i = 0; i < n; i++)
    y[i] = (float)x[i] * 0.5f;
}

// The order of a sum is kept: more than a flag of the optimiser.
float no_scalar_dot(const float *x, const float *y, long n) {
  float s = 0;
  for (long i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

// -- machine-float-sum
float yes_float_sum_dot(const float *x, const float *y, long n) {
  float s = 0;
  for (long i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

double yes_float_sum_of(const double *x, long n) {
  double s = 0;
  for (long i = 0; i < n; i++)
    s += x[i];
  return s;
}

// Each step needs all of the one before.
float no_float_sum_chain(const float *x, long n) {
  float s = 1;
  for (long i = 0; i < n; i++)
    s = s * x[i] + 1;
  return s;
}

void no_float_sum_map(float *restrict y, const float *restrict x, float a, long n) {
  for (long i = 0; i < n; i++)
    y[i] += a * x[i];
}

double no_float_sum_indexed(const double *x, const int *at, long n) {
  double s = 0;
  for (long i = 0; i < n; i++)
    s += x[at[i]];
  return s;
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

// -- machine-plt-call: of another library; how short the function is, the profile says
long yes_plt_call_other(const long *a, long n) {
  extern long other(long);
  long s = 0;
  for (long i = 0; i < n; i++)
    s += other(a[i]);
  return s;
}

long no_plt_call_hidden(const int *a, long n) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s += hidden(a[i]);
  return s;
}

// -- machine-assert
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
#define CHECK(c) ((c) ? (void)0 : __assert_fail(#c, "x.c", 1, "f"))
long yes_assert_index(const long *a, const int *at, long n, int most) {
  long s = 0;
  for (long i = 0; i < n; i++) {
    CHECK(at[i] >= 0 && at[i] < most);
    s += a[at[i]];
  }
  return s;
}

extern void failed(const char *) __attribute__((noreturn));
long no_assert_own(const long *a, const int *at, long n, int most) {
  long s = 0;
  for (long i = 0; i < n; i++) {
    if (at[i] >= most)
      failed("index");
    s += a[at[i]];
  }
  return s;
}

long no_assert_before(const long *a, long n) {
  long s = 0;
  CHECK(n > 0);
  for (long i = 0; i < n; i++)
    s += a[i] ^ i;
  return s;
}

// -- machine-bit-set
void yes_bit_set_bytes(uint8_t *p, const uint8_t *in, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (in[i] > 7)
      p[i >> 3] |= (uint8_t)(1u << (i & 7));
}

void yes_bit_set_words(uint64_t *p, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    p[i >> 6] |= 1ull << (i & 63);
}

// The number begins again with the next byte; the pointer goes on then.
static const uint8_t bit_of[] = {1, 2, 4, 8, 16, 32, 64, 128};
void yes_bit_set_packed(uint8_t *p, const uint16_t *in, int n, int plane) {
  int bit = -1;
  p--;
  for (int x = 0; x < n; x++, bit--) {
    if (bit < 0) {
      bit = 7;
      *++p = 0;
    }
    if (in[x] & plane)
      *p |= bit_of[bit];
  }
}

// Which bit is a matter of the data; the pointer goes on every seventh time.
void no_bit_set_groups(uint8_t *p, const uint8_t *in, int n) {
  int left = 7;
  for (int x = 0; x < n; x++) {
    *p |= bit_of[in[x] & 7];
    if (--left == 0) {
      left = 7;
      p++;
    }
  }
}

// The bit's number comes from the data.
void no_bit_set_scattered(uint64_t *p, const unsigned *at, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[at[i] >> 6] |= 1ull << (at[i] & 63);
}

void no_bit_set_bytes(uint8_t *p, size_t n, unsigned x) {
  for (size_t i = 0; i < n; i++)
    p[i] |= (uint8_t)(1u << x);
}

// -- machine-bit-copy
void yes_bit_copy_shifted(uint8_t *out, const uint8_t *in, size_t n, size_t by) {
  for (size_t i = 0; i < n; i++)
    out[i >> 3] |= (uint8_t)(((in[i >> 3] >> (i & 7)) & 1u) << ((i + by) & 7) << (i & 7));
}

void yes_bit_copy_branch(uint64_t *out, const uint64_t *in, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (in[i >> 6] >> (i & 63) & 1)
      out[i >> 6] |= 1ull << (i & 63);
}

size_t no_bit_copy_count(const uint64_t *in, size_t n) {
  size_t s = 0;
  for (size_t i = 0; i < n; i++)
    s += in[i >> 6] >> (i & 63) & 1;
  return s;
}

// -- machine-byte-compare
long yes_byte_compare_match(const uint8_t *a, const uint8_t *b, long limit) {
  long n = 0;
  while (n < limit && a[n] == b[n])
    n++;
  return n;
}

int yes_byte_compare_before(const uint8_t *data, int delta, int len,
                            int limit) {
  while (++len < limit && data[len - delta] == data[len])
    ;
  return len;
}

long yes_byte_compare_wide(const uint16_t *a, const uint16_t *b, long limit) {
  long n = 0;
  for (; n < limit; n++)
    if (a[n] != b[n])
      break;
  return n;
}

int yes_byte_compare_backwards(const char *a, const char *b, int n) {
  while (n > 0 && a[n - 1] == b[n - 1])
    n--;
  return n;
}

// The end is where a zero is: nothing may be read behind it.
int no_byte_compare_text(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return *a - *b;
}

// All are looked at.
long no_byte_compare_counts(const uint8_t *a, const uint8_t *b, long n) {
  long same = 0;
  for (long i = 0; i < n; i++)
    same += a[i] == b[i];
  return same;
}

// One range, and a byte that is looked for.
long no_byte_compare_finds(const uint8_t *a, uint8_t what, long n) {
  long i = 0;
  while (i < n && a[i] != what)
    i++;
  return i;
}

// Through a table, as where case does not count.
long no_byte_compare_folded(const uint8_t *a, const uint8_t *b,
                            const uint8_t *fold, long n) {
  long i = 0;
  while (i < n && fold[a[i]] == fold[b[i]])
    i++;
  return i;
}

// -- machine-hash
uint32_t yes_hash_fnv(const uint8_t *p, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * 16777619u;
  return h;
}

uint64_t yes_hash_fnv64(const uint8_t *p, size_t n) {
  uint64_t h = 14695981039346656037ull;
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * 1099511628211ull;
  return h;
}

uint32_t yes_hash_djb2(const char *p) {
  uint32_t h = 5381;
  for (; *p; p++)
    h = h * 33 + (uint8_t)*p;
  return h;
}

uint32_t yes_hash_java(const uint8_t *p, size_t n) {
  uint32_t h = 0;
  for (size_t i = 0; i < n; i++)
    h = h * 31 + p[i];
  return h;
}

// A number is read in the same way.
unsigned long no_hash_number(const char *p) {
  unsigned long v = 0;
  for (; *p; p++)
    v = v * 10 + (unsigned long)(*p - '0');
  return v;
}

// Nothing waits for the multiplication of the step before.
unsigned no_hash_weighted(const uint8_t *p, size_t n) {
  unsigned s = 0;
  for (size_t i = 0; i < n; i++)
    s += p[i] * 16777619u;
  return s;
}

uint32_t no_hash_words(const uint32_t *p, size_t n) {
  uint32_t h = 1;
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * 16777619u;
  return h;
}

// -- machine-spill
void yes_spill_mixing(uint64_t *s, const uint64_t *k, long n) {
  uint64_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7], i = s[8], j = s[9], l = s[10],
           m = s[11], o = s[12], p = s[13], q = s[14], r = s[15], t = s[16], u = s[17];
  for (long x = 0; x < n; x++) {
    a += b ^ k[x], b ^= c + a, c += d ^ b, d ^= e + c, e += f ^ d, f ^= g + e, g += h ^ f, h ^= i + g, i += j ^ h;
    j ^= l + i, l += m ^ j, m ^= o + l, o += p ^ m, p ^= q + o, q += r ^ p, r ^= t + q, t += u ^ r, u ^= a + t;
  }
  s[0] = a, s[1] = b, s[2] = c, s[3] = d, s[4] = e, s[5] = f, s[6] = g, s[7] = h, s[8] = i, s[9] = j, s[10] = l,
  s[11] = m, s[12] = o, s[13] = p, s[14] = q, s[15] = r, s[16] = t, s[17] = u;
}

void no_spill_few(uint64_t *s, const uint64_t *k, long n) {
  uint64_t a = s[0], b = s[1], c = s[2];
  for (long x = 0; x < n; x++)
    a += b ^ k[x], b ^= c + a, c += a ^ b;
  s[0] = a, s[1] = b, s[2] = c;
}

// On the stack because the source says so.
long no_spill_volatile(const long *a, long n) {
  volatile long s = 0;
  for (long i = 0; i < n; i++)
    s += a[i];
  return s;
}

// -- machine-stride
long yes_stride_column(const long (*a)[1024], long n, long column) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s ^= a[i][column];
  return s;
}

long no_stride_row(const long (*a)[1024], long row) {
  long s = 0;
  for (long i = 0; i < 1024; i++)
    s ^= a[row][i] + i;
  return s;
}

long no_stride_narrow(const long (*a)[64], long n, long column) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s ^= a[i][column];
  return s;
}

// The width is a number of the run: the code does not tell it.
long no_stride_unknown(const long *a, long n, long width) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s ^= a[i * width];
  return s;
}

// -- machine-float-sum, stored on each iteration: y may be a part of a or x
void yes_float_sum_stored(const double *a, const double *x, double *y, size_t n) {
  for (size_t j = 0; j < n; j++)
    *y += a[j] * x[j];
}

// Each sum has a place of its own.
void no_float_sum_places(const double *a, const double *x, double *y, size_t n) {
  for (size_t j = 0; j < n; j++)
    y[j] += a[j] * x[j];
}

// -- machine-sparse
struct vehicle { double lon, lat; char name[96]; int state; long load[8]; };

int yes_sparse_fields(const struct vehicle *v, long n, double lon) {
  int found = 0;
  for (long i = 0; i < n; i++)
    found += v[i].lon < lon & v[i].state == 1;
  return found;
}

// Small elements: the next one is in the same line.
struct place { double lon, lat; int state; };
int no_sparse_small(const struct place *v, long n, double lon) {
  int found = 0;
  for (long i = 0; i < n; i++)
    found += v[i].lon < lon & v[i].state == 1;
  return found;
}

// What it reads is most of each element.
long no_sparse_whole(const long (*v)[16], long n) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s ^= v[i][0] + v[i][1] + v[i][2] + v[i][4] + v[i][6] + v[i][7] + v[i][9] + v[i][12];
  return s;
}

// -- machine-search
long yes_search_both(const int *a, int n, int key) {
  int low = 0, high = n - 1;
  while (low <= high) {
    int middle = (low + high) / 2;
    if (a[middle] < key)
      low = middle + 1;
    else if (a[middle] > key)
      high = middle - 1;
    else
      return middle;
  }
  return -1;
}

unsigned yes_search_upper(const float *a, unsigned n, float key) {
  unsigned low = 0, high = n;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (key < a[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// No jump on what was compared.
size_t no_search_computed(const int *a, size_t n, int key) {
  const int *base = a;
  while (n > 1) {
    size_t half = n / 2;
    base += (size_t)(base[half - 1] < key) * half;
    n -= half;
  }
  return (size_t)(base - a);
}

// Halves, loads and compares, and moves no bounds.
long no_search_pairs(const int *a, const int *b, long n, int by) {
  long s = 0;
  for (long i = 0; i < n; i++) {
    if (a[i >> 1] < b[i])
      s += by;
    else
      s -= i;
  }
  return s;
}

// A walk up a heap: one way only.
long no_search_heap(const int *a, long i, int key) {
  while (i > 0 && a[(i - 1) / 2] > key)
    i = (i - 1) / 2;
  return i;
}

// Down a tree in an array, by its nodes' children.
long no_search_tree(const int (*tree)[3], long i, int key) {
  while (i >= 0)
    i = tree[i][0] < key ? tree[i][1] : tree[i][2];
  return i;
}

// -- machine-branch
size_t yes_branch_append(const int *a, size_t n, int least, unsigned *out) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (a[i] >= least)
      out[kept++] = i;
  return kept;
}

void yes_branch_count(const int *a, const unsigned char *kind, size_t n, int least, long *seen) {
  for (size_t i = 0; i < n; i++)
    if (a[i] >= least)
      seen[kind[i]]++;
}

// What is asked is a counter: known beforehand.
void no_branch_counter(int *out, long n) {
  for (long i = 0; i < n; i++)
    if (i & 1)
      out[i] += 3;
    else
      out[i >> 1] = 7;
}

// A way leaves the loop: guessed wrongly once.
long no_branch_leaves(const int *a, long n, int key) {
  long i = 0;
  while (i < n && a[i] != key)
    i++;
  return i;
}

// One way is a division, which is waited for itself.
void no_branch_divides(const int *a, long n, int by, int *out) {
  for (long i = 0; i < n; i++)
    if (a[i] > 0)
      out[i] = (int)i / by;
}

// -- machine-skip
double yes_skip_zeros(const double *x, const double *w, double *out, long n) {
  for (long i = 0; i < n; i++)
    if (x[i] != 0.0) {
      double y = x[i] * w[i];
      out[i] += y * y + w[i];
    }
  return out[0];
}

struct skip_voice { int active, volume, pan, step; };
void yes_skip_inactive(const struct skip_voice *v, long n, long *mixed) {
  for (long i = 0; i < n; i++) {
    if (!v[i].active)
      continue;
    for (long k = 0; k < v[i].step; k++)
      mixed[k] += v[i].volume * (k - v[i].pan);
  }
}

// What counts is added to registers: neither way stores.
struct skip_body {
  float mass, x, y;
  char name[52], active;
};
float yes_skip_summed(const struct skip_body *b, long n) {
  float x = 0, y = 0;
  for (long i = 0; i < n; i++) {
    if (!b[i].active)
      continue;
    x += b[i].mass * b[i].x;
    y += b[i].mass * b[i].y;
  }
  return x * y;
}

// What is asked is the best so far.
long no_skip_best(const int *a, long n) {
  int best = -1000000;
  long at = 0;
  for (long i = 0; i < n; i++)
    if (a[i] > best) {
      best = a[i];
      at = i;
    }
  return at;
}

// Each iteration stores.
void no_skip_stores(const int *a, int *out, long *more, long n) {
  for (long i = 0; i < n; i++) {
    out[i] = a[i] + 1;
    if (a[i] == 77)
      more[i & 7] += i * out[i - 1];
  }
}

// What is asked is made of all elements so far: none can be left out.
long no_skip_rolling(const unsigned char *a, const unsigned long *gear, unsigned long mask, long n, unsigned long h) {
  for (long i = 0; i < n; i++) {
    h = (h << 1) ^ gear[a[i]];
    if (!(h & mask) && i >= 64)
      return i;
  }
  return n;
}

// All elements are counted, those that are short with the least work.
int skip_decode(const unsigned char *s);
long no_skip_counted(const unsigned char *s) {
  long n = 0;
  for (;;) {
    int c = *s;
    if (c < 0x80) {
      if (c == 0)
        return n;
      s++;
    } else
      s += skip_decode(s);
    n++;
  }
}

// The next element is the one that this one points to.
struct skip_edge {
  struct skip_edge *next;
  long x, more;
};
void no_skip_followed(struct skip_edge *e, long x, long *out) {
  for (; e; e = e->next)
    if (e->x > x) {
      out[e->more & 7] += e->x * 3;
      x = e->x;
    }
}

// What is asked is a counter.
void no_skip_counter(const int *a, long *more, long n) {
  for (long i = 0; i < n; i++)
    if (i % 16 == 3)
      more[i & 7] += a[i];
}

// -- machine-widening
void yes_widening_literal(float *a, long n) {
  for (long i = 0; i < n; i++)
    a[i] = a[i] * 0.3 + 1.1;
}

__attribute__((target("fma"))) void yes_widening_fused(float *a, long n) {
  for (long i = 0; i < n; i++)
    a[i] = (float)(1.5 - a[i] * 0.25);
}

// Fused in float; what is kept in double is only converted.
__attribute__((target("fma"))) void no_widening_fused(float *a, const double *d, double *e, const float *b, long n) {
  for (long i = 0; i < n; i++) {
    a[i] = __builtin_fmaf(a[i], b[i], (float)d[i]);
    e[i] = b[i];
  }
}

void no_widening_float(float *a, long n) {
  for (long i = 0; i < n; i++)
    a[i] = a[i] * 0.3f + 1.1f;
}

// A sum that stays double.
double no_widening_sum(const float *a, long n) {
  double s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] * 0.3;
  return s;
}

// Kept in another type, and nothing computed.
void no_widening_copy(const double *a, float *b, const float *c, double *d, long n) {
  for (long i = 0; i < n; i++) {
    b[i] = a[i];
    d[i] = c[i];
  }
}

struct element {
  struct element *next, *before;
  long key, value;
};

// A list that is searched from its start.
long yes_walk_list(const struct element *e, long key) {
  while (e && e->key != key)
    e = e->next;
  return e ? e->value : 0;
}

// The step is a call that takes the element and gives the next one.
const struct element *yes_walk_list_step(const struct element *e, const struct element *(*step)(const struct element *), long key) {
  do
    e = step(e);
  while (e->key != key);
  return e;
}

int differs(const void *a, const void *b);

// Each element is compared by a function.
const struct element *yes_walk_list_compared(const struct element *e, const void *key) {
  while (e && differs(e, key))
    e = e->before;
  return e;
}

// Two ways down: a tree.
long no_walk_list_tree(const struct element *e, long key) {
  while (e && e->key != key)
    e = e->key < key ? e->next : e->before;
  return e ? e->value : 0;
}

// An array of pointers: where the next one is does not come out of an element.
long no_walk_list_array(struct element *const *e, long n, long key) {
  for (long i = 0; i < n; i++)
    if (e[i]->key == key)
      return e[i]->value;
  return 0;
}

// Work on each element.
void no_walk_list_changed(struct element *e, long by) {
  for (; e; e = e->next)
    e->value += by;
}
