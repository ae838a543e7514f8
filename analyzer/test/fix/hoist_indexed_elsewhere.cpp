// fix: hoist
// flags: -std=c++17 -O2
// want: assumed: goes elsewhere
// What is written is an element that `out` points to, not the member `out`: it may
// be the bound.
#include <cstdio>

struct Job {
  int *out;
  int at;
  int limit;
};
void fill(Job &j, const Job &bound) {
  for (int i = 0; i < bound.limit; i++) { // HERE
    j.out[j.at + i] = i;
  }
}
int main() {
  int cells[3];
  Job j{cells, 0, 3}, bound{nullptr, 0, 3};
  fill(j, bound);
  std::printf("%d %d %d\n", cells[0], cells[1], cells[2]);
}
