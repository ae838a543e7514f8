// flags: -O3
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Two outputs: the loads of both data pointers and of the input's bounds stay
// as long as either line writes plain bytes.
void splitBytes(const std::string &in, std::vector<uint8_t> &out) {
  for (size_t i = 0; i < in.size(); ++i) { // want: char vectorised retyped,hoisted together=11+12 loads=8>0.125
    out[i] = in[i] & 31;
    out[i + in.size()] = uint8_t(in[i]) >> 5;
  }
}

struct Key {
  uint64_t number;
  uint8_t bytes[8];
};

// The inner loop is unrolled fully: its accesses are those of the outer one.
void keysFromNumbers(std::vector<Key> &keys, const std::vector<uint64_t> &numbers) {
  for (size_t j = 0; j < numbers.size(); ++j) // want: char fewer-loads retyped,hoisted together=25 loads=25>1
    for (int i = 0; i < 8; ++i)
      keys[j].bytes[i] = uint8_t(numbers[j] >> (8 * i));
}

// The three stores become one, which has no position: the source's own are
// named.
void replaceSpaces(const std::string &in, std::string &out) {
  size_t n = 0;
  for (size_t i = 0; i < in.size(); ++i) // want: char fewer-loads retyped,hoisted together=34+36+37 loads=4>1
    switch (in[i]) {
    case 'a': out[n++] = 'b'; break;
    case '\n': break;
    case '\t': out[n++] = ' '; break;
    default: out[n++] = in[i];
    }
}

struct Buffer {
  int limit;
  unsigned char *data;
};

// Without the reload of the bound this is a memset.
void clear(Buffer &b) {
  for (int i = 0; i < b.limit; ++i) // want: char idiom retyped,hoisted together=49
    b.data[i] = 0;
}

// The bound is a local already.
void clearLocal(Buffer &b) {
  const int limit = b.limit;
  unsigned char *__restrict data = b.data;
  for (int i = 0; i < limit; ++i)
    data[i] = i * 3;
}

struct Scaled {
  int limit;
  int *data;
};

// Integers of another type than the bound's cannot change it.
void shorts(Scaled &s, short *__restrict out) {
  for (int i = 0; i < s.limit; ++i)
    out[i] = short(s.data[i]);
}

void opaque();

// The call may change the bound whatever the bytes are.
void withCall(Buffer &b) {
  for (int i = 0; i < b.limit; ++i) {
    b.data[i] = 1;
    opaque();
  }
}

enum class Shade : unsigned char { Light, Dark };
struct Shades {
  int limit;
  Shade *data;
};

// An enumeration with linkage has a type of its own.
void darken(Shades &s) {
  for (int i = 0; i < s.limit; ++i)
    s.data[i] = Shade::Dark;
}
