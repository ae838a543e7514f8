// Functions in which a byte-wide store makes the compiler read something again.
// "expect:" names the rules that must match at this line, and no others may.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

struct Buffer {
  unsigned char *data;
  size_t used;
  size_t limit;
  size_t room() const { return limit - used; }
  size_t size() const { return used; }
  void put(unsigned char c) { data[used++] = c; }
};

// Accessor in the condition: used and limit are read for every byte.
void fillAll(Buffer &b, char *out) {
  for (size_t i = 0; i < b.size(); ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-loop-condition-name alias-pointer-field
    out[i] = 0;
}

// The bound is a plain field behind a pointer.
void clear(Buffer *b, signed char *out) {
  for (size_t i = 0; i < b->limit; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    out[i] = -1;
}

// The accessor is not one of the usual names, and the body branches.
void drain(Buffer &b, uint8_t *out, const int *keep) {
  for (size_t i = 0; i < b.room(); ++i) // expect: alias-loop-condition alias-pointer-field
    if (keep[i])
      out[i] = 1;
}

// The low and high bits of a text go to the two halves of an output.
void splitBits(const std::string &text, std::vector<uint8_t> &out) {
  for (size_t i = 0; i < text.size(); ++i) { // expect: alias-loop-condition alias-loop-condition-linear alias-loop-condition-name alias-pointer-field
    const uint8_t c = static_cast<uint8_t>(text[i]);
    out[i] = c & 0x1f;
    out[i + text.size()] = c >> 5;
  }
}

// A switch over every character, written through a reference to a string.
void escape(const std::string &in, std::string &out) {
  for (size_t i = 0; i < in.size(); ++i) { // expect: alias-loop-condition alias-loop-condition-name alias-pointer-field
    switch (in[i]) {
    case '\t':
    case '\n':
      out[i] = ' ';
      break;
    case '/':
      out[i] = '\\';
      break;
    default:
      out[i] = in[i];
    }
  }
}

struct Key {
  unsigned length;
  unsigned char bytes[16];
};

// The prefix counter lies beside the bytes that are written.
void spread(Key *k, uint64_t v) {
  for (unsigned i = 0; i < k->length; ++i) { // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    k->bytes[i] = v & 0xff;
    v >>= 8;
  }
}

struct Encoder {
  Key *key;
  int shift;
  void encode(uint64_t v);
  unsigned total;
  unsigned char *at;
  void reset();
  void mark(int n);
};

// Through implicit this: the pointer and the shift are members.
void Encoder::encode(uint64_t v) {
  for (int i = 0; i < 8; ++i) // expect: alias-pointer-field
    key->bytes[i] = v >> shift;
}

// A member that bounds the loop.
void Encoder::reset() {
  for (unsigned i = 0; i < total; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    at[i] = 0;
}

// Increment and decrement are writes too.
void Encoder::mark(int n) {
  for (int i = 0; i < n; ++i) // expect: alias-pointer-field
    ++at[i];
}

// The number behind the pointer is loaded for every byte.
void addBase(const int *base, const int *in, char *out, int n) {
  for (int i = 0; i < n; ++i) // expect: alias-pointer-dereference
    out[i] = in[i] + *base;
}

// A bound that is passed by reference.
void zero(const size_t &n, std::byte *out) {
  for (size_t i = 0; i < n; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-dereference
    out[i] = std::byte{0};
}

struct Node {
  int *count;
  Node *next;
};

// A pointer behind a pointer: both loads are repeated.
void tally(const Node *q, char *out, int n) {
  for (int i = 0; i < n; ++i) // expect: alias-pointer-dereference alias-pointer-field
    out[i] = *(q->count) + *(q->count);
}

// The same element on both sides of the write, no loop needed.
int twice(const int *a, int i, char *c) {
  int s = a[i];
  *c = 1;
  return s + a[i]; // expect: alias-array-element
}

// The same field around a write without a loop.
size_t around(Buffer *b, char *c) {
  size_t s = b->used;
  *c = 'x';
  return s + b->used; // expect: alias-pointer-field
}

// The element does not change in the inner loop.
void repeat(const int *a, char *out, int n, int k) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < k; ++j) // expect: alias-array-element
      out[j] += a[i];
}

// Compound assignment through a pointer.
void mask(const unsigned *bits, unsigned char *out, int n) {
  for (int i = 0; i < n; ++i) // expect: alias-pointer-dereference
    out[i] |= *bits;
}

// A compound assignment with exclusive or.
void scramble(const Buffer *b, uint8_t *out) {
  for (size_t i = 0; i != b->used; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    out[i] ^= 0x55;
}

// The row pointer is found again for every column.
void columns(int **rows, char *out, int i, int n) {
  for (int j = 0; j < n; ++j) // expect: alias-array-element alias-multidim
    out[j] = rows[i][j];
}

// A vector of vectors: the rows' pointers are read again after each byte.
void flatten(const std::vector<std::vector<int>> &grid, std::vector<uint8_t> &out) {
  size_t at = 0;
  for (size_t i = 0; i < grid.size(); ++i)      // expect: alias-loop-condition alias-loop-condition-name alias-pointer-field
    for (size_t j = 0; j < grid[i].size(); ++j) // expect: alias-loop-condition alias-loop-condition-linear alias-loop-condition-name alias-multidim alias-pointer-field
      out[at++] = grid[i][j];
}

struct Grown {
  char *text;
  size_t length;
  size_t allocated;
};
void grow(Grown *s, size_t n);

// The usual append: text, length and size, in an inline function.
inline Grown *append(Grown *s, char c) {
  if (s->length + 1 < s->allocated) {
    s->text[s->length++] = c;
    s->text[s->length] = 0; // expect: alias-pointer-field
  } else {
    grow(s, 1);
  }
  return s;
}
void appendAll(Grown *s, const char *from, size_t n) {
  for (size_t i = 0; i < n; ++i) // expect: alias-pointer-field
    append(s, from[i]);
}

// The write is inside an inline member.
void putAll(Buffer &b, const int *from, int n) {
  for (int i = 0; i < n; ++i) // expect: alias-pointer-field
    b.put(from[i]);
}

namespace {
enum Colour : int { Red, Green };
} // namespace
// An enum without linkage aliases everything, whatever its width.
void paint(const Buffer *b, Colour *out) {
  for (size_t i = 0; i < b->used; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    out[i] = Red;
}

union Word {
  int number;
  float real;
};
// So does a member of a union.
void store(const Buffer *b, Word *out) {
  for (size_t i = 0; i < b->used; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    out[i].real = 0;
}

typedef int loose __attribute__((may_alias));
// And a type that says so.
void storeLoose(const Buffer *b, loose *out) {
  for (size_t i = 0; i < b->used; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    out[i] = 0;
}

// A reference to a byte is as bad as a pointer to one.
void lastOf(const Buffer *b, char &last, const int *from) {
  for (size_t i = 0; i < b->used; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    last = from[i];
}

// A while loop that moves the output pointer.
void copyWhile(const Buffer *b, char *out) {
  size_t i = 0;
  while (i < b->used) { // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    *out++ = 'a';
    ++i;
  }
}

// A do loop.
void copyDo(const Buffer *b, char *out) {
  size_t i = 0;
  do { // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    *out++ = 'a';
  } while (++i < b->used);
}

int limit;
// A variable of the whole program bounds the loop.
void upTo(char *out) {
  for (int i = 0; i < limit; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-dereference
    out[i] = 1;
}

struct Outer {
  Buffer inner;
  size_t length() const { return inner.size(); }
};
// Accessors that call accessors.
void nested(const Outer &o, char *out) {
  for (size_t i = 0; i < o.length(); ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-loop-condition-name alias-pointer-field
    out[i] = 0;
}

// Iterators: end() is asked for every time.
void upper(std::vector<char> &v) {
  for (auto it = v.begin(); it != v.end(); ++it) // expect: alias-loop-condition alias-loop-condition-linear alias-loop-condition-name alias-pointer-field
    *it &= 0x5f;
}

// The container is a member, the loop a range-for whose iterators ask it.
struct Ring {
  int *slots;
  size_t fill;
  struct Place {
    const Ring *ring;
    size_t i;
    bool operator!=(const Place &) const { return i != ring->fill; }
    Place &operator++() { ++i; return *this; }
    int operator*() const { return ring->slots[i]; }
  };
  Place begin() const { return {this, 0}; }
  Place end() const { return {this, fill}; }
};
void dump(const Ring &ring, char *out) {
  for (int x : ring) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
    *out++ = x;
}

template <class T> void fillWith(const Buffer &b, T *out, T value) {
  for (size_t i = 0; i < b.size(); ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-loop-condition-name alias-pointer-field
    out[i] = value;
}
// One instantiation is char: the template is reported once.
void instantiate(const Buffer &b, char *c, int *i) {
  fillWith(b, c, 'x');
  fillWith(b, i, 1);
}

// The body of a lambda is a function too.
void inLambda(const Buffer &b, char *out) {
  auto run = [](const Buffer &from, char *to) {
    for (size_t i = 0; i < from.used; ++i) // expect: alias-loop-condition alias-loop-condition-linear alias-pointer-field
      to[i] = 0;
  };
  run(b, out);
}

void log(const char *);
// The call is on another path: the quiet one reloads for nothing.
void seldomCalls(const Buffer *b, char *out, const int *loud) {
  for (size_t i = 0; i < b->used; ++i) { // expect: alias-loop-condition alias-pointer-field
    out[i] = 0;
    if (loud[i])
      log("loud");
  }
}

// A local array that another function has seen is no longer private.
void fill(int *bounds);
void escaped(char *out, int n) {
  int bounds[2];
  fill(bounds);
  for (int i = 0; i < n; ++i) // expect: alias-array-element
    out[i] = bounds[1];
}

// strlen reads; it forces nothing.
void afterRead(const Buffer *b, char *out, const char *s) {
  for (size_t i = 0; i < b->used; ++i) // expect: alias-loop-condition alias-pointer-field
    out[i] = std::strlen(s);
}

struct List {
  List *next;
  int value;
};
// The link is read for the condition, and again after the byte.
void chase(const List *l, char *out) {
  while (l->next) { // expect: alias-pointer-field
    *out++ = l->value;
    l = l->next;
  }
}

// push_back: the vector's end moves, and is loaded again for every byte; its
// growth is the path that is seldom taken.
void pushAll(std::vector<uint8_t> &out, const int *from, int n) {
  for (int i = 0; i < n; ++i) // expect: alias-pointer-field
    out.push_back(from[i]);
}
