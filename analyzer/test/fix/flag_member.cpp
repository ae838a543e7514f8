// fix: bit-field
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Page {
  unsigned dirty : 1;
  unsigned locked : 1;
  int uses;
  Page *next;
};
static int clean(Page *first) {
  int n = 0;
  for (Page *p = first; p; p = p->next) { // HERE
    n += p->dirty;
    p->dirty = p->uses > 3;
  }
  return n;
}
int main() {
  std::vector<Page> pages(50);
  for (int i = 0; i < 50; ++i) {
    pages[i].dirty = i % 3 == 0;
    pages[i].locked = 1;
    pages[i].uses = i % 7;
    pages[i].next = i < 49 ? &pages[i + 1] : nullptr;
  }
  int a = clean(&pages[0]), b = clean(&pages[0]);
  printf("%d %d\n", a, b);
}
