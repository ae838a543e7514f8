// fix: retype
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Range {
  int from, to;
};
static std::string line;
__attribute__((noinline)) void run(Range *r) {
  line.resize(300);
  for (int i = 0; i < r->to; ++i) // HERE
    line[i] = char('a' + i % 26 + r->from);
}
int main() {
  Range r{0, 250};
  run(&r);
  int sum = 0;
  for (size_t i = 0; i < line.size(); ++i)
    sum = sum * 3 % 10007 + line[i];
  line.push_back('x');
  printf("%d %s\n", sum, line.c_str());
}
