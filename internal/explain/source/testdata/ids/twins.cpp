#include "twins.h"

#include <algorithm>

static void helper(Text &s) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
}
static void helper(Text &s, int) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
}

void one_line(Text &s) { for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i]; for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i]; }

#define SHIFTED(s) for (std::size_t i = 0; i < (s).n; i++) (s).out[i] = (s).in[i] >> (s).shift
#define FUNCTION(name) void name(Text &s) { SHIFTED(s); }
void macros(Text &s) {
  SHIFTED(s);
  SHIFTED(s);
}
FUNCTION(made) FUNCTION(made_too)

void lambdas(Text &s) {
  auto a = [&] {
    for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
  };
  auto b = [&] {
    for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
  };
  a();
  b();
}
const auto whole = [](Text &s) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
};

void local_classes(Text &s) {
  struct A {
    static void run(Text &s) {
      for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
    }
  };
  struct B {
    static void run(Text &s) {
      for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
    }
  };
  A::run(s);
  B::run(s);
}

void library(Text &s) {
  std::for_each(s.in, s.in + s.n, [&](int x) { s.out[x] = x >> s.shift; });
  std::for_each(s.in, s.in + s.n, [&](int x) { s.out[x] = x >> s.shift; });
}

namespace a {
void same(Text &s) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
}
} // namespace a
namespace b {
void same(Text &s) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
}
} // namespace b

void bits(std::vector<bool> &x, std::vector<bool> &y) {
  for (std::size_t i = 0; i < x.size(); i++) x[i] = y[i];
  for (std::size_t i = 0; i < x.size(); i++) x[i] = y[i];
}

void all(Text &s, Row<unsigned char> &r, Row<signed char> &q) {
  helper(s);
  helper(s, 1);
  whole(s);
  r.clear(1), r.clear('x'), q.clear(1), q.clear('x');
  fill(s, 1), fill(s, 'x'), fill(s, 1, 1), fill(s, 'x', 1);
  branch(s);
}
