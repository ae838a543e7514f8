#define OTHER
#include "twins.h"

static void helper(Text &s) {
  for (std::size_t i = 0; i < s.n; i++) s.out[i] = s.in[i] >> s.shift;
}

void other(Text &s, Row<unsigned char> &r) {
  helper(s);
  r.clear('x');
  fill(s, 2L);
  branch(s);
}
