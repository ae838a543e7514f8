// flags: -O2 -fno-strict-aliasing
#include <string>
#include <vector>

// Without types for aliasing only locals help.
void lower(const std::string &in, std::vector<unsigned char> &out) {
  for (size_t i = 0; i < in.size(); ++i) // want: char vectorised hoisted
    out[i] = in[i] | 32;
}

struct Table {
  void **slots;
  long count;
};

void fill(Table *t, void *p) {
  for (long i = 0; i < t->count; ++i) // want: pointer vectorised hoisted
    t->slots[i] = p;
}

struct Bits {
  unsigned char *out;
  unsigned buffer;
  unsigned count;
};

// State that is read and written in every iteration lives in locals too.
void putBits(Bits &b, const unsigned *__restrict in, int n) {
  for (int i = 0; i < n; ++i) { // want: char fewer-loads hoisted loads=4>1 counts
    b.buffer = b.buffer << 1 | (in[i] & 1);
    b.count = (b.count + 1) & 7;
    *b.out = (unsigned char)b.buffer;
  }
}
