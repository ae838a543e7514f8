// fix: vector-bool
// flags: -std=c++17 -O2
// want: refused: derived
#include <vector>

struct Buffer : std::vector<bool> {
  void append(bool b) { push_back(b); }
};
int run(int n) {
  Buffer made;
  made.append(n & 1);
  std::vector<bool> b(n);
  int hits = 0;
  for (int i = 0; i < n; ++i) // HERE
    hits += b[i];
  b = made;
  return hits + b.size();
}
