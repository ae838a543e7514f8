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

// A function that does one column, called for each.
static void shearColumn(const int *const *in, int *const *out, int column, int rows, int shift) {
  for (int row = 0; row < rows; row++) { // expect: column-walk
    const int to = row + shift;
    if (to >= 0 && to < rows)
      out[to][column] = in[row][column];
  }
}

void shear(const int *const *in, int *const *out, int cols, int rows, const int *shift) {
  for (int col = 0; col < cols; col++)
    shearColumn(in, out, col, rows, shift[col]);
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

// One column of many, not all of them.
static int lastColumn(const int *const *in, int column, int rows) {
  int t = 0;
  for (int row = 0; row < rows; row++)
    t += in[row][column];
  return t;
}

int border(const int *const *in, int cols, int rows) {
  int t = 0;
  for (int col = 0; col < cols; col++)
    t += lastColumn(in, cols - 1, rows);
  return t;
}

// What is called for each row runs along it.
static int sumRow(const int *const *in, int row, int cols) {
  int t = 0;
  for (int col = 0; col < cols; col++)
    t += in[row][col];
  return t;
}

int sums(const int *const *in, int cols, int rows) {
  int t = 0;
  for (int row = 0; row < rows; row++)
    t += sumRow(in, row, cols);
  return t;
}

// The function moves on to another column by itself.
static int zigzag(const int *const *in, int column, int rows) {
  int t = 0;
  for (int row = 0; row < rows; row++) {
    t += in[row][column];
    column ^= row;
  }
  return t;
}

int zigzags(const int *const *in, int cols, int rows) {
  int t = 0;
  for (int col = 0; col < cols; col++)
    t += zigzag(in, col, rows);
  return t;
}

// A transposition, a column at a time.
static void turn(float *const *out, const float *const *in, int column, int rows) {
  for (int row = 0; row < rows; row++)
    out[column][row] = in[row][column];
}

void turned(float *const *out, const float *const *in, int cols, int rows) {
  for (int col = 0; col < cols; col++)
    turn(out, in, col, rows);
}

// Two channels, not rows: a line of the cache holds what the next samples ask for.
static double channels[2][100000];

double interleave(int count, int n) {
  double t = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < count; j++) // expect: short-loop
      t += channels[j][i];
  return t;
}
