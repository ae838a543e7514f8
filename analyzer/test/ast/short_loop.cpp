// Inner loops of two to four iterations.
#include <array>

struct Image { int channels; int width; };

void average(const Image &im, const unsigned char *in, unsigned *out) {
  unsigned sum[4] = {};
  for (int x = 0; x < im.width; x++)
    for (int c = 0; c < im.channels; c++) // expect: short-loop
      sum[c] += in[x * im.channels + c];
  for (int c = 0; c < im.channels; c++) // in no other
    out[c] = sum[c] / im.width;
}

double length(const double (*p)[3], int n, int dim) {
  double t = 0;
  for (int i = 0; i < n; i++)
    for (int d = 0; d < dim; ++d) // expect: short-loop
      t += p[i][d] * p[i][d];
  return t;
}

void move(std::array<float, 2> *p, const std::array<float, 2> &by, int n, unsigned dims) {
  for (int i = 0; i < n; i++)
    for (unsigned d = 0; d < dims; d++) // expect: short-loop
      p[i][d] += by[d];
}

// What follows is known to the compiler, or may run for long.

void fixed(const double (*p)[3], double *t, int n) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 3; ++d)
      t[i] += p[i][d];
}

void longer(const double (*p)[8], double *t, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < m; ++d)
      t[i] += p[i][d];
}

void some(const int *in, int n, int m) {
  int small[4] = {};
  for (int i = 0; i < n; i++)
    for (int d = 0; d < m; ++d)
      if (in[d] < 4)
        small[d] += in[i];
}

void masked(int *out, int n, int m) {
  const int wave[4] = {0, 1, 0, 2};
  for (int i = 0; i < n; i++)
    for (int d = 0; d < m; ++d)
      out[d] += wave[d & 3];
}

void later(const double (*p)[4], double *t, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int d = 2; d < m; ++d)
      t[i] += p[i][d];
}

double weigh(double);

void heavy(const double (*p)[3], double *t, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < m; ++d)
      t[i] += weigh(p[i][d]);
}
