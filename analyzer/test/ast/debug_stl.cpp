// flags: -D_GLIBCXX_ASSERTIONS
// A build whose library checks every access.
#include <cstddef>
#include <vector>

// Each element is checked.
int sum(const std::vector<int> &v) {
  int s = 0;
  for (std::size_t i = 0; i < v.size(); ++i) // expect: debug-stl
    s += v[i];
  return s;
}

// back() is checked too.
void drain(std::vector<int> &v) {
  while (!v.empty()) // expect: debug-stl
    v.pop_back();
}

// Plain pointers are not.
int sumPlain(const int *v, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    s += v[i];
  return s;
}

// Nor is a single access.
int first(const std::vector<int> &v) { return v[0]; }
