// flags: -O3
#include <cstddef>
#include <cstdint>
#include <cstring>

struct Stream {
  char *data;
  size_t used;
};
struct Words {
  const uint32_t *data;
  size_t count;
};

// A few bytes by memcpy become one store without a type, which has none to change.
void putWords(Stream &s, const Words &w) {
  for (size_t i = 0; i < w.count; ++i) { // want: char vectorised hoisted loads=4>0.25
    const uint32_t word = ~w.data[i];
    std::memcpy(s.data + 4 * i, &word, sizeof word);
  }
}

struct Colour {
  uint8_t r, g, b, a;
};
struct Row {
  Colour *pixels;
  int width;
};

// A struct of bytes that is copied whole: no member's type is left.
void paint(Row &row, const Colour *__restrict palette, const int *__restrict index) {
  for (int i = 0; i < row.width; ++i) // want: char fewer-loads hoisted loads=4>2
    row.pixels[i] = palette[index[i]];
}

struct Triple {
  uint8_t r, g, b;
};
struct Triples {
  Triple *pixels;
  int width;
};

// The same where no integer is as wide: the copy stays one.
void paintTriples(Triples &row, const Triple *__restrict palette, const int *__restrict index) {
  for (int i = 0; i < row.width; ++i) // want: char fewer-loads hoisted loads=3>1
    row.pixels[i] = palette[index[i]];
}

union Number {
  int whole;
  float part;
};
struct Numbers {
  Number *list;
  int count;
  int step;
};

void count(Numbers &n) {
  for (int i = 0; i < n.count; ++i) // want: char vectorised hoisted
    n.list[i].whole = n.step * i;
}

typedef uint32_t __attribute__((may_alias)) AnyWord;
struct Block {
  AnyWord *words;
  unsigned count;
  unsigned key;
};

void fill(Block &b) {
  for (unsigned i = 0; i < b.count; ++i) // want: char vectorised hoisted
    b.words[i] = b.key + i;
}

struct Pattern {
  unsigned shortest;
  unsigned longest;
  unsigned plain;
  char *text;
};

// The inner loop becomes a memset, which carries char's type on: the lengths are
// loaded and stored in memory for each character.
void compile(Pattern &p, const char *in, char *to) {
  unsigned pending = 0;
  for (; *in; ++in) { // want: char fewer-loads retyped,hoisted
    if (*in == '?') {
      ++pending;
      p.shortest++;
      p.longest += 4;
      continue;
    }
    for (; pending; --pending)
      *to++ = '?';
    p.shortest++;
    p.longest++;
    p.plain++;
    *to++ = *in;
  }
  p.text = to;
}

// An ordinary integer cannot change a bound of another type.
void plain(long *data, const int *count) {
  for (int i = 0; i < *count; ++i)
    data[i] = i;
}

// The words are those that are read.
unsigned chain(char *bytes, int n) {
  unsigned *words = reinterpret_cast<unsigned *>(bytes);
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned next = sum * 3 + 1;
    std::memcpy(bytes + 4 * i, &next, 4);
    sum += words[1];
  }
  return sum;
}

// What a loop writes into a local array reaches nothing else.
long localOnly(const long *__restrict in, const int *n) {
  long buffer[64];
  for (int i = 0; i < *n; ++i)
    std::memcpy(&buffer[i & 63], &in[i], 8);
  return buffer[3];
}

// A copy of any length is a call that somebody wrote, and stays one.
struct Lines {
  char *to;
  const char *const *from;
  const size_t *length;
  size_t count;
};

void join(Lines &l) {
  for (size_t i = 0; i < l.count; ++i)
    std::memcpy(l.to, l.from[i], l.length[i]);
}

// The copy is meant to read what it wrote: it repeats a pattern of few bytes.
char *repeat(const char *from, char *to, long size) {
  while (size < 8) {
    unsigned long word;
    std::memcpy(&word, from, 8);
    std::memcpy(to, &word, 8);
    to += size;
    size *= 2;
  }
  return to;
}

struct Mark {
  long at, size;
  int samples;
};
struct Section {
  int kind;
  union {
    Mark *marks;
    char *text;
  };
};

// A pointer in a union has no type for the compiler either, and is none of the
// copied bytes.
void close(Section &b, int from, int to) {
  for (int i = from; i < to; ++i) // want: char fewer-loads hoisted loads=1>0
    b.marks[i] = b.marks[i + 1];
}
