// fix: bit-field
// flags: -std=c++20 -O2
// want: refused: signed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Page {
  int dirty : 1;
};
void clean(std::vector<Page> &pages) {
  for (size_t i = 0; i < pages.size(); ++i) // HERE
    pages[i].dirty = 0;
}
