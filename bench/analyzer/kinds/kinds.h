// Loops whose loads are repeated because of a store that no other written type
// would free, or that are vectorised as written but in narrow vectors: each as it
// is written, and with locals as advised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The store is in the library's operator^= of std::byte.
void cipherWritten(std::vector<std::byte> &Text, std::byte Key);
void cipherHoisted(std::vector<std::byte> &Text, std::byte Key);

// The stores are in std::swap.
struct Rows {
  uint8_t *Upper, *Lower;
  size_t Width;
};
void exchangeWritten(Rows &R);
void exchangeHoisted(Rows &R);

// Four bytes by memcpy.
struct Stream {
  char *Data;
  size_t Used;
};
struct Words {
  const uint32_t *Data;
  size_t Count;
};
void wordsWritten(Stream &S, const Words &W);
void wordsHoisted(Stream &S, const Words &W);

// A struct of bytes, copied whole.
struct Colour {
  uint8_t R, G, B, A;
};
struct Line {
  Colour *Pixels;
  int Width;
};
void paintWritten(Line &L, const Colour *Palette, const uint8_t *Index);
void paintHoisted(Line &L, const Colour *Palette, const uint8_t *Index);

// A member of a union.
union Number {
  int Whole;
  float Part;
};
struct Numbers {
  Number *List;
  int Count, Step;
};
void countWritten(Numbers &N);
void countHoisted(Numbers &N);

// Vectors of 4 as written, of 16 with the base in a local.
void brightenWritten(uint8_t *Out, const uint8_t *In, const int *Base, int N);
void brightenHoisted(uint8_t *Out, const uint8_t *In, const int *Base, int N);

// A call on a path that is hardly taken: the locals are loaded again behind it.
struct Buffer {
  uint8_t *Data;
  size_t Used, Room;
};
struct Values {
  const int *Data;
  size_t Count;
};
void flush(Buffer &B);
void appendWritten(Buffer &B, const Values &V);
void appendHoisted(Buffer &B, const Values &V);

// A memset that was a loop of bytes, and counters in memory.
struct Pattern {
  unsigned Shortest, Longest, Plain;
};
size_t compileWritten(Pattern &P, const char *In, char *To);
size_t compileHoisted(Pattern &P, const char *In, char *To);
