// fix: bit-field
// flags: -std=c++20 -O2
// want: refused: sizeof
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Page {
  unsigned dirty : 1;
  unsigned rest : 31;
};
static_assert(sizeof(Page) == 4, "on disk");
void clean(std::vector<Page> &pages) {
  for (size_t i = 0; i < pages.size(); ++i) // HERE
    pages[i].dirty = 0;
}
