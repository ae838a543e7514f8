// fix: whole-copy
// flags: -std=gnu++98 -O2
// want: fixed
#include <cstdio>
#include <vector>

static void copy(std::vector<bool> *to, const std::vector<bool> &from, int n) {
  if (to)
    for (int i = 0; i < n; ++i) // HERE
      (*to)[i] = from[i];
}
int main() {
  std::vector<bool> a(65, false), b(65, true);
  copy(&a, b, 0);
  copy(&a, b, -3);
  copy(&a, b, 7); // a part
  int n = 0;
  for (int i = 0; i < 65; i++)
    n = (2 * n + a[i]) % 1009;
  copy(&a, b, 65); // all of it
  for (int i = 0; i < 65; i++)
    n = (2 * n + a[i]) % 1009;
  printf("%d\n", n);
}
