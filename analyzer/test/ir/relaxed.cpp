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
