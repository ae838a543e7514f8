// A blocked matrix product that the compiler vectorises: allocated once, read in
// order, no calls in the loop. There is nothing here to give back.
//
// usage: nothing-wrong [REPEATS]

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int size = 512;
constexpr int block = 64;  // three blocks of floats fit the first-level cache

void multiply(const float* __restrict a, const float* __restrict b, float* __restrict c) {
  for (int kk = 0; kk < size; kk += block) {
    for (int ii = 0; ii < size; ii += 4) {
      for (int jj = 0; jj < size; jj += block) {
        float sum[4][block];
        for (int i = 0; i < 4; i++)
          for (int j = 0; j < block; j++) sum[i][j] = c[(ii + i) * size + jj + j];
        for (int k = kk; k < kk + block; k++) {
          const float* row = b + k * size + jj;
          const float f0 = a[ii * size + k], f1 = a[(ii + 1) * size + k];
          const float f2 = a[(ii + 2) * size + k], f3 = a[(ii + 3) * size + k];
          for (int j = 0; j < block; j++) {
            sum[0][j] += f0 * row[j];
            sum[1][j] += f1 * row[j];
            sum[2][j] += f2 * row[j];
            sum[3][j] += f3 * row[j];
          }
        }
        for (int i = 0; i < 4; i++)
          for (int j = 0; j < block; j++) c[(ii + i) * size + jj + j] = sum[i][j];
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int repeats = argc > 1 ? std::atoi(argv[1]) : 700;
  std::vector<float> a(size * size), b(size * size), c(size * size);
  for (int i = 0; i < size * size; i++) {
    a[i] = static_cast<float>(i % 7) / 8;
    b[i] = static_cast<float>(i % 5) / 8;
  }
  double trace = 0;
  for (int r = 0; r < repeats; r++) {
    for (float& x : c) x = 0;
    multiply(a.data(), b.data(), c.data());
    trace += c[(r % size) * (size + 1)];
  }
  std::printf("%d products of %d x %d, sum of diagonal elements %.3f\n", repeats, size, size, trace);
}
