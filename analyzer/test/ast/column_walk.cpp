// Down the columns of an array that lies in rows.
#include <array>
#include <vector>

double grid[512][512];
static float small[32][32];

double columns() {
  double t = 0;
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++) // expect: column-walk
      t += grid[j][i];
  return t;
}

void mirror(double (*out)[512]) {
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++)
      out[i][j] = grid[j][i];
}

void transpose(float *out, const float *in, int w, int h) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++) // exchanged it goes down the columns of out
      out[x * h + y] = in[y * w + x];
}

double nested(const std::vector<std::vector<double>> &a, int rows, int cols) {
  double t = 0;
  for (int i = 0; i < cols; i++)
    for (int j = 0; j < rows; j++) // expect: column-walk
      t += a[j][i];
  return t;
}

void multiply(double *c, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) // expect: column-walk
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int blur(const unsigned char *p, int width, int height) {
  int t = 0;
  for (int x = 0; x < width; x++)
    for (int y = 0; y < height; y++) // expect: column-walk
      t += p[x + y * 1024];
  return t;
}

// What follows runs along, or over what is small.

double rows(int n) {
  double t = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      t += grid[j][i];
  return t;
}

float little() {
  float t = 0;
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 32; j++)
      t += small[j][i];
  return t;
}

int interleaved(const unsigned char *p, int channels, int width) {
  int t = 0;
  for (int c = 0; c < channels; c++)
    for (int x = 0; x < width; x++)
      t += p[x * channels + c];
  return t;
}

int kernel(const unsigned char *p, int width, int stride) {
  int t = 0;
  for (int x = 0; x < width; x++)
    for (int y = 0; y < 3; y++)
      t += p[y * stride + x];
  return t;
}

int near(const int *p, int n) {
  int t = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      t += p[j * 4 + i];
  return t;
}

int diagonal(const int *p, int n, int w) {
  int t = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      t += p[j * w + i];
  return t;
}

// The blocks of a codec fit into the cache.
void transform(short *out, const short *in, int size) {
  for (int x = 0; x < size; x++)
    for (int y = 0; y < size; y++)
      out[x] += in[x + y * size];
}

void block(unsigned char *out, const unsigned char *in, int blockW, int blockH, int stride) {
  for (int x = 0; x < blockW; x++)
    for (int y = 0; y < blockH; y++)
      out[x] += in[x + y * stride];
}
