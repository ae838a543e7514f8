// fix: bit-field
// flags: -std=c++20 -O2
// want: refused: may not fit
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Page {
  unsigned dirty : 1;
};
void clean(std::vector<Page> &pages, unsigned x) {
  for (size_t i = 0; i < pages.size(); ++i) // HERE
    pages[i].dirty = x;
}
