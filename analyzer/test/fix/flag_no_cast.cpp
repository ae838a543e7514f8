// fix: bit-field
// flags: -std=c++20 -O2
// want: refused: pointer of another type
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Page {
  unsigned dirty : 1;
};
unsigned word(Page *p) { return *reinterpret_cast<unsigned *>(p); }
void clean(std::vector<Page> &pages) {
  for (size_t i = 0; i < pages.size(); ++i) // HERE
    pages[i].dirty = 0;
}
