// flags: -O3
#include <vector>

// Nothing is loaded twice.
void copy(int *a, const int *b, int n) {
  for (int i = 0; i < n; ++i)
    a[i] = b[i];
}

// The placebo gains as much: two rounds of the pipeline, not the edit.
struct Grid {
  std::vector<std::vector<double>> rows;
};

double total(const Grid &g) {
  double sum = 0;
  for (const auto &row : g.rows)
    for (double x : row)
      sum += x;
  return sum;
}

// Different element type than the bound, nested, vectorised as it is.
void scale(float *data, const int *size) {
  for (int y = 0; y < size[1]; ++y)
    for (int x = 0; x < 64; ++x)
      data[y * 64 + x] *= 2;
}
