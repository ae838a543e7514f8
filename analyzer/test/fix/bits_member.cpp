// fix: vector-bool
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

class Marks {
public:
  explicit Marks(size_t n) : marks_(n) {}
  void mark(size_t step) {
    for (size_t i = 0; i < marks_.size(); i += step) // HERE
      marks_[i] = true;
  }
  size_t total() const {
    size_t n = 0;
    for (size_t i = 0; i < marks_.size(); ++i)
      if (marks_[i])
        ++n;
    return n;
  }

private:
  std::vector<bool> marks_;
};
int main() {
  Marks m(100);
  m.mark(3);
  m.mark(5);
  printf("%zu\n", m.total());
}
