// Functions that look like the bad ones and are not: nothing is read again, or
// something else forces the reload.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct Buffer {
  unsigned char *data;
  size_t used;
  size_t limit;
  size_t size() const { return used; }
  size_t far() const;
};

// The bound lives in a local.
void hoisted(const Buffer &b, char *out) {
  const size_t n = b.size();
  for (size_t i = 0; i < n; ++i)
    out[i] = 0;
}

// The bound is a private object of this function.
void privateBound(char *out) {
  Buffer b{nullptr, 10, 20};
  for (size_t i = 0; i < b.size(); ++i)
    out[i] = 0;
}

// A private string: nothing outside can point into it.
void privateString(char *out, size_t n) {
  std::vector<int> v;
  for (size_t i = 0; i < v.size() && i < n; ++i)
    out[i] = 0;
}

// The base moves on between the accesses.
void walk(const Buffer *b, char *out, int n) {
  for (int i = 0; i < n; ++i) {
    out[i] = b->used;
    ++b;
  }
}

struct List {
  List *next;
  int value;
};
// Each round looks at another node.
void chase(const List *l, char *out) {
  for (; l; l = l->next)
    *out++ = l->value;
}

// The index moves on between the accesses.
void narrow(const int *a, char *out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = a[i];
}

// A pointer is stored, not a char.
void pointers(const Buffer *b, char **out) {
  for (size_t i = 0; i < b->used; ++i)
    out[i] = nullptr;
}

// char8_t aliases nothing but itself.
void utf8(const Buffer *b, char8_t *out) {
  for (size_t i = 0; i < b->used; ++i)
    out[i] = u8'a';
}

// Nor does bool.
void flags(const Buffer *b, bool *out) {
  for (size_t i = 0; i < b->used; ++i)
    out[i] = true;
}

enum class Kind : uint8_t { A, B };
// Nor an enum with linkage, though it is a byte wide.
void kinds(const Buffer *b, Kind *out) {
  for (size_t i = 0; i < b->used; ++i)
    out[i] = Kind::A;
}

// An int is no char.
void ints(const Buffer *b, int *out) {
  for (size_t i = 0; i < b->used; ++i)
    out[i] = 1;
}

// The second access is a store: nothing is loaded.
void storeOnly(Buffer *b, char *c) {
  b->used = 1;
  *c = 0;
  b->used = 2;
}

void opaque();
// A call to who knows where forces the reload anyway.
void callBetween(const Buffer *b, char *out) {
  for (size_t i = 0; i < b->used; ++i) {
    out[i] = 0;
    opaque();
  }
}

// The condition itself is an opaque call: there is no load to see here.
void farBound(const Buffer *b, char *out) {
  for (size_t i = 0; i < b->far(); ++i)
    out[i] = 0;
}

struct Fixed {
  int rows[4][8];
};
// An array in a struct has no pointer to read; i and j move on.
void fixedArray(const Fixed *f, char *out) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j)
      out[i * 8 + j] = f->rows[i][j];
}

// restrict is a promise that the compiler believes.
void promised(const Buffer *b, char *__restrict out) {
  for (size_t i = 0; i < b->used; ++i)
    out[i] = 0;
}

// On the other side, too.
void promisedBound(const size_t *__restrict n, char *out) {
  for (size_t i = 0; i < *n; ++i)
    out[i] = 0;
}

// The bytes go to a private array.
int toPrivate(const Buffer *b) {
  char local[64];
  int sum = 0;
  for (size_t i = 0; i < b->used; ++i) {
    local[i & 63] = i;
    sum += local[(i + 7) & 63];
  }
  return sum;
}

// And to memory that new has just given.
char *toFresh(const Buffer *b, size_t n) {
  char *p = new char[n];
  for (size_t i = 0; i < b->used; ++i)
    p[i] = 0;
  return p;
}

// A pointer that only ever points into a private array.
int throughPointer(const Buffer *b) {
  char local[64];
  char *p = local;
  int sum = 0;
  for (size_t i = 0; i < b->used; ++i) {
    *p = i;
    sum += *p;
  }
  return sum;
}

// A private std::array keeps its bytes inside.
int toStdArray(const Buffer *b) {
  std::array<unsigned char, 64> local{};
  int sum = 0;
  for (size_t i = 0; i < b->used; ++i) {
    local[i & 63] = i;
    sum += local[(i + 7) & 63];
  }
  return sum;
}

// The bytes of the number itself are written: it must be read again.
int punned(int *number, int n) {
  char *bytes = (char *)number;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    bytes[i & 3] = i;
    sum += *number;
  }
  return sum;
}

struct Tagged {
  char tag;
  int count;
};
// A plain member of a struct carries the struct in its tag.
void tagAll(Tagged *t, const Buffer *b) {
  for (size_t i = 0; i < b->used; ++i)
    t->tag = 'x';
}

// begin and end of a range-for are locals already.
void rangeFor(const std::vector<int> &v, char *out) {
  for (int x : v)
    *out++ = x;
}

// A constant is no load.
static const int Rounds = 7;
void constantBound(char *out) {
  for (int i = 0; i < Rounds; ++i)
    out[i] = 0;
}

// The element is assigned in between: its value is new.
int assigned(int *a, int i, char *c) {
  int s = a[i];
  *c = 1;
  a[i] = 5;
  return s + a[i];
}

// The char write comes before both accesses.
int before(const Buffer *b, char *c) {
  *c = 0;
  return b->used + b->used;
}

// The char write comes after both accesses.
size_t after(const Buffer *b, char *c) {
  size_t s = b->used + b->used;
  *c = 0;
  return s;
}

// Two ways that never meet.
size_t eitherWay(const Buffer *b, char *c, bool first) {
  if (first) {
    *c = 0;
    return 0;
  }
  return b->used + b->limit;
}

// Nothing but reads.
unsigned checksum(const Buffer &b) {
  unsigned s = 0;
  for (size_t i = 0; i < b.size(); ++i)
    s += b.data[i];
  return s;
}

// Elements of one array of bytes alias each other by right.
void reverse(unsigned char *p, int i, int j) {
  unsigned char a = p[i];
  p[j] = a;
  p[j + 1] = p[i];
}

// A volatile bound is meant to be read again.
void deviceBound(const volatile size_t *n, char *out) {
  for (size_t i = 0; i < *n; ++i)
    out[i] = 0;
}

// An int store of the same type forces the reload as well.
void sameType(const int *a, int *b, char *c, int n) {
  for (int i = 0; i < n; ++i) {
    c[i] = 0;
    b[i] = *a;
  }
}

// A loop over locals alone.
void locals(char *out, int n, int step) {
  for (int i = 0; i < n; i += step)
    out[i] = step;
}

// The bound is a parameter by value of a class that fits registers.
struct Span {
  const int *at;
  size_t n;
  size_t size() const { return n; }
};
void byValue(Span s, char *out) {
  for (size_t i = 0; i < s.size(); ++i)
    out[i] = s.at[i];
}

// A private copy of a shared object.
void privateCopy(const Buffer &shared, char *out) {
  Buffer b = shared;
  for (size_t i = 0; i < b.size(); ++i)
    out[i] = 0;
}

// A reference to a private object is that object.
void referenceToPrivate(char *out) {
  Buffer b{nullptr, 10, 20};
  const Buffer &r = b;
  for (size_t i = 0; i < r.size(); ++i)
    out[i] = 0;
}

// A private vector owns the bytes that are written.
size_t intoPrivateVector(const Buffer &b) {
  std::vector<uint8_t> v(100);
  for (size_t i = 0; i < b.size(); ++i)
    v[i] = i;
  return v[3];
}

// Each row is another one.
void diagonal(int **rows, char *out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = rows[i][i];
}

// The write is in the outer loop, the rows are read in the inner one.
void rowSums(int **rows, char *out, int n) {
  for (int i = 0; i < n; ++i) {
    int s = 0;
    for (int j = 0; j < n; ++j)
      s += rows[i][j];
    out[i] = s;
  }
}

void sink(const void *);
inline void always(Buffer &b, char c) {
  b.data[b.used] = c;
  sink(&b);
}
// The inline function always calls out: the reload is the call's.
void callsOut(Buffer &b, int n) {
  for (int i = 0; i < n; ++i)
    always(b, 0);
}
