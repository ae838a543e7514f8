// fix: whole-copy
// flags: -std=c++11 -O2
// want: fixed
#include <cstdio>
#include <vector>

struct State {
  std::vector<bool> live, dirty;
  State &operator=(const State &o) {
    for (unsigned i = 0; i < live.size(); i++) { // HERE
      live[i] = o.live[i];
      dirty[i] = o.dirty[i];
    }
    return *this;
  }
};
static unsigned sum(const std::vector<bool> &v) {
  unsigned n = 1;
  for (bool b : v)
    n = 3 * n + b;
  return n;
}
int main() {
  State a, b, c;
  for (int i = 0; i < 70; i++) {
    a.live.push_back(i % 3 == 0);
    a.dirty.push_back(i % 5 == 0);
    b.live.push_back(false);
    b.dirty.push_back(false);
    c.dirty.push_back(true); // longer than what is copied: the rest stays
    if (i % 2)
      c.live.push_back(true);
  }
  b = a;
  c = a;
  printf("%u %u %u %u\n", sum(b.live), sum(b.dirty), sum(c.live), sum(c.dirty));
}
