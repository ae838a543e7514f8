// Which locations are one: the same memory by two ways of writing it is read
// again, different memory that looks alike is not.
#include <array>
#include <cstddef>

struct Pair {
  int x, y;
};

// An index counted back from the pointer.
int before(const int *p, char *out) {
  int a = p[-1];
  *out = 0;
  return a + *(p - 1); // expect: alias-pointer-dereference
}

// The same sum in two orders of its steps.
int beforeIndex(const int *p, int i, char *out) {
  int a = p[i - 1];
  *out = 0;
  return a + *(p + i - 1); // expect: alias-pointer-dereference
}

// The same sum with its operands turned round.
int turned(const int *p, int i, int j, char *out) {
  int a = p[i + j];
  *out = 0;
  return a + p[j + i]; // expect: alias-array-element
}

int squares[64];
inline int squareOf(int i) { return squares[i]; }
// A table behind an inline function is no local of its caller, though its index is.
int viaTable(int k, char *out) {
  int a = squareOf(k);
  *out = 0;
  return a + squareOf(k); // expect: alias-array-element
}

inline int load(const int &r) { return r; }
// The member is known behind a reference too: a store to another one is no reason.
int viaReference(Pair *s, char *out) {
  int a = load(s->x);
  s->y = 1;
  *out = 0;
  return a + load(s->x); // expect: alias-pointer-field
}

inline const int *next(const int *p) { return p + 1; }
// Two steps here and one in the function are three.
int afterNext(const int *p, char *out) {
  int a = *next(p + 2);
  *out = 0;
  return a + p[3]; // expect: alias-array-element
}
int besideNext(const int *p, char *out) {
  int a = p[1];
  *out = 0;
  return a + *next(p + 2);
}

inline ptrdiff_t between(const char *from, const char *to) { return to - from; }
// The distances differ.
int distances(const int *t, const char *p, const char *q, char *out) {
  int a = t[between(p, q)];
  *out = 0;
  return a + t[between(p + 1, q)];
}

// A row and a column of one matrix.
int rowAndColumn(const int (*m)[4], int k, char *out) {
  int a = m[0][k];
  *out = 0;
  return a + m[k][0];
}
int sameColumn(const int (*m)[4], int k, char *out) {
  int a = m[k][0];
  *out = 0;
  return a + *m[k]; // expect: alias-pointer-dereference
}

struct Rows {
  int at[4][4];
};
int firstOfRow(const Rows *r, int k, char *out) {
  int a = r->at[k][1];
  *out = 0;
  return a + (&r->at[k][0])[1]; // expect: alias-array-element
}

struct Line {
  int *cells;
  int &cell(int i) { return cells[i]; }
};
// The first cell, behind an index and without one.
int firstCell(Line *l, char *out) {
  int a = l->cell(0);
  *out = 0;
  return a + *l->cells; // expect: alias-pointer-field alias-pointer-dereference
}

// A byte of the index is another index.
int lowByte(const int *t, unsigned x, char *out) {
  int a = t[x];
  *out = 0;
  return a + t[static_cast<unsigned char>(x)];
}
int sameByte(const int *t, unsigned x, char *out) {
  int a = t[x & 0xff];
  *out = 0;
  return a + t[static_cast<size_t>(x & 0xff)]; // expect: alias-array-element
}

// A number and where it lies.
int numberAndAddress(const int *t, size_t x, char *out) {
  int a = t[x & 7];
  *out = 0;
  return a + t[reinterpret_cast<size_t>(&x) & 7];
}

// What the pointers of a local array lead to is anybody's.
void intoRows(char *a, char *b, const Pair &n) {
  std::array<char *, 2> rows{a, b};
  for (int i = 0; i < n.x; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    rows[i & 1][0] = 0;
}
