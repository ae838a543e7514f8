// fix: vector-bool
// flags: -std=c++17 -O2
// want: refused: virtual
#include <vector>

struct Visitor {
  virtual ~Visitor() {}
  virtual void see(const std::vector<bool> &seen) = 0;
};
void run(Visitor &v, int n) {
  std::vector<bool> b(n);
  for (int i = 0; i < n; ++i) // HERE
    b[i] = i % 3 == 0;
  v.see(b);
}
