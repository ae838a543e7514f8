// flags: -O3
#include <cstddef>
#include <cstdint>

struct Out {
  uint8_t *at;
  size_t size;
};

// Up to the next multiple of eight.
void padName(Out &o, unsigned n) {
  for (; n % 8; n++) // want: char fewer-loads retyped,hoisted pads
    o.at[n] = 0;
}

void padTag(Out &o, size_t n) {
  size_t aligned = (n + 7) & ~size_t(7);
  for (size_t i = n; i < aligned; i++) // want: char idiom retyped,hoisted pads
    o.at[i] = 0;
}

// A multiple of a page may be far.
void padPage(Out &o, unsigned n) {
  for (; n % 4096; n++) // want: char vectorised retyped,hoisted
    o.at[n] = 0;
}

// From another start there may be more to fill.
void fillRow(Out &o, size_t from, size_t width) {
  size_t aligned = (width + 3) & ~size_t(3);
  for (size_t i = from; i < aligned; i++) // want: char idiom retyped,hoisted
    o.at[i] = 0;
}

// An address in as many bytes as the file has for one: where it is not known, ones.
void address(Out &o, unsigned width, uint64_t a) {
  if (a != ~uint64_t(0)) {
    for (unsigned i = 0; i < width; i++) { // want: char fewer-loads retyped,hoisted digits
      o.at[i] = uint8_t(a);
      a >>= 8;
    }
  } else {
    for (unsigned i = 0; i < width; i++) // want: char idiom retyped,hoisted digits
      o.at[i] = 0xff;
  }
}

void shifted(Out &o, uint32_t a, int n) {
  for (int i = 0; i < n; i++) // want: char vectorised retyped,hoisted digits
    o.at[i] = uint8_t(a >> (8 * i));
}

// The number is mixed with something new in each iteration.
void scramble(Out &o, uint32_t a, int n) {
  for (int i = 0; i < n; i++) { // want: char fewer-loads retyped,hoisted
    o.at[i] = uint8_t(a);
    a = (a >> 8) ^ (a * 2654435761u);
  }
}

// Bit by bit, 64 iterations say something.
void bits(Out &o, uint64_t a, int n) {
  for (int i = 0; i < n; i++) { // want: char fewer-loads retyped,hoisted
    o.at[i] = uint8_t(a & 1);
    a >>= 1;
  }
}

// The position is kept in memory: an iteration waits for the one before.
void unpack(Out &o, const uint8_t *from, size_t *at, const size_t *shift, unsigned n) {
  for (unsigned i = 0; i < n; i++) { // want: char fewer-loads retyped,hoisted counts
    o.at[i] = uint8_t(from[*at] << *shift);
    ++*at;
  }
}

// The bound is not known, the array is.
struct Bands {
  int count;
};
struct Block {
  int8_t exponent[18];
};
void lessExponent(const Bands *bands, Block *b, int least) {
  for (int i = 0; i < bands->count; i++) // want: char vectorised retyped,hoisted capacity=18
    b->exponent[i] = int8_t(b->exponent[i] - least);
}
