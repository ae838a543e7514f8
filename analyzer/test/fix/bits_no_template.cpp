// fix: vector-bool
// flags: -std=c++17 -O2
// want: refused: template
#include <vector>

template <typename T> T total(const std::vector<T> &v) {
  T sum = 0;
  for (size_t i = 0; i < v.size(); ++i)
    sum = sum + v[i];
  return sum;
}
int run(int n) {
  std::vector<bool> b(n);
  for (int i = 0; i < n; ++i) // HERE
    b[i] = i % 3 == 0;
  return total(b);
}
