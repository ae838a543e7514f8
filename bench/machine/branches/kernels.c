// Loops with a jump that the data decide: branches KERNEL DATA SECONDS.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1 << 18 };
static int32_t in[N], out[N], other[N];
static float real[N], result[N];
static unsigned char text[N];
static long seen[256];

#define KERNEL __attribute__((noinline)) static long
KERNEL append(int least) {
  long kept = 0;
  for (long i = 0; i < N; i++)
    if (in[i] >= least)
      out[kept++] = (int32_t)i;
  return kept;
}
KERNEL two(int least) {
  long kept = 0;
  for (long i = 0; i < N; i++)
    if (in[i] >= least && other[i] >= least)
      out[kept++] = in[i];
  return kept;
}
KERNEL histogram(int least) {
  for (long i = 0; i < N; i++)
    if (in[i] >= least)
      seen[text[i]]++;
  return seen[7];
}
KERNEL partition(int least) {
  long low = 0, high = N;
  for (long i = 0; i < N; i++)
    if (in[i] < least)
      out[low++] = in[i];
    else
      out[--high] = in[i];
  return low;
}
KERNEL merge(int least) {
  long a = 0, b = N / 2, k = 0;
  while (a < N / 2 && b < N)
    if (other[a] + least <= other[b] + least)
      out[k++] = other[a++];
    else
      out[k++] = other[b++];
  return k;
}
KERNEL ranges(int least) {
  float sum = 0;
  for (long i = 0; i < N; i++) {
    float x = real[i], r;
    if (x < 0.25f)
      r = (x * 0.3f + 1.0f) * x + (float)least;
    else if (x < 0.5f)
      r = (x * 0.7f - 2.0f) * x + 4.0f;
    else if (x < 0.75f)
      r = (x * 1.7f - 9.0f) * x - 4.0f;
    else
      r = x * 9.0f;
    result[i] = r;
    sum += r;
  }
  return (long)sum;
}
KERNEL words(int least) {
  long n = 0;
  int inside = 0;
  for (long i = 0; i < N; i++)
    if (text[i] < ' ' + 1 + (least & 0)) {
      inside = 0;
    } else if (!inside) {
      inside = 1;
      n++;
      out[n & (N - 1)] = (int32_t)i;
    }
  return n;
}
KERNEL runs(int least) {
  long k = 0;
  int32_t last = in[0], length = 0;
  for (long i = 0; i < N; i++) {
    const int32_t is = in[i] >= least;
    if (is != last) {
      out[k++] = length;
      length = 0;
      last = is;
    }
    length++;
  }
  return k;
}
KERNEL money(int least) {
  double buys = 0, sells = 0;
  for (long i = 0; i < N; i++)
    if (in[i] >= least)
      buys += (double)real[i] * other[i];
    else
      sells += (double)real[i] * other[i];
  return (long)(buys - sells);
}
KERNEL longer(int least) { // what is skipped is long
  double sum = 0;
  for (long i = 0; i < N; i++)
    if (in[i] >= least) {
      double x = real[i];
      for (int k = 1; k < 12; k++)
        x = x * 0.9 + 1.0 / (x + k);
      sum += x;
    }
  return (long)sum;
}

static uint32_t state = 1;
static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}
static int ascending(const void *a, const void *b) { return *(const int32_t *)a - *(const int32_t *)b; }

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  const char *data = argv[2];
  static int32_t at[N]; // hundredths
  for (long i = 0; i < N; i++) {
    const int32_t r = (int32_t)(next() % 100);
    at[i] = !strcmp(data, "half") ? r : !strcmp(data, "tenth") ? (r < 10 ? 90 : r / 3) : !strcmp(data, "sorted") ? (int32_t)(i * 100 / N)
            : !strcmp(data, "turn") ? (i & 1) * 99 : !strcmp(data, "period") ? (i * 37 % 64) * 99 / 63 : 70;
  }
  for (long i = 0; i < N; i++) {
    in[i] = at[i];
    real[i] = (float)at[i] / 100;
    text[i] = at[i] < 50 ? ' ' : (unsigned char)('a' + at[i] % 20);
    other[i] = at[(i * 5 + 3) & (N - 1)];
  }
  if (!strcmp(argv[1], "merge")) { // two sorted halves; other data than random are in turn
    for (long i = 0; i < N; i++)
      other[i] = !strcmp(data, "half") || !strcmp(data, "tenth") ? (int32_t)(next() >> 2) : (int32_t)(i % (N / 2)) * 2 + (i >= N / 2);
    qsort(other, N / 2, sizeof *other, ascending);
    qsort(other + N / 2, N / 2, sizeof *other, ascending);
  }
  static const struct { const char *name; long (*run)(int); } kernels[] = {
      {"append", append}, {"two", two},     {"histogram", histogram}, {"partition", partition}, {"merge", merge},
      {"ranges", ranges}, {"words", words}, {"runs", runs},           {"money", money},         {"longer", longer}};
  long sum = 0, rounds = 0;
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++)
    if (!strcmp(kernels[k].name, argv[1])) {
      const clock_t begin = clock();
      do
        sum += kernels[k].run(50), rounds++;
      while ((double)(clock() - begin) / CLOCKS_PER_SEC < atof(argv[3]));
      fprintf(stderr, "%.4f\n", (double)(clock() - begin) / CLOCKS_PER_SEC / (double)rounds * 1e9 / N);
    }
  printf("%ld\n", sum + out[rounds % N] + (long)result[rounds % N]);
  return rounds == 0;
}
