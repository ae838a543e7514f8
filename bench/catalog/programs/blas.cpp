// Products of matrices through the BLAS that the loader finds.
#include <cstdio>
#include <vector>

extern "C" void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*, double*, const int*);

int main() {
  const int n = 500;
  const double one = 1, none = 0;
  std::vector<double> a(n * n, 1.5), b(n * n, 0.5), c(n * n);
  for (int i = 0; i < 8; i++) dgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &none, c.data(), &n);
  printf("%f\n", c[7]);
}
