// Loops whose cycles per iteration are measured, and predicted by whyhot cycles.
// LOOP(name, bytes, …) is a function with one loop of N iterations; bytes is by how much
// its addresses move in an iteration as it is written, the largest of them, 0 where it touches no memory: a
// compiler may make one iteration of several.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 2048 };
static int32_t ai[2 * N + 64], bi[2 * N + 64], ci[2 * N + 64];
static int64_t al[N + 64], bl[N + 64];
static float af[N + 64], bf[N + 64], cf[N + 64];
static double ad[N + 64], bd[N + 64];
static uint8_t ab[N + 64], bb[N + 64], cb[N + 64];
static uint32_t table[256], counts[256];
static int32_t next[N];
volatile uint64_t sink;

#define LOOP(name, bytes, before, body, result)                                                                       \
  __attribute__((noinline)) uint64_t loop_##name(long n) {                                                             \
    before;                                                                                                            \
    for (long i = 0; i < n; i++) {                                                                                     \
      body;                                                                                                            \
    }                                                                                                                  \
    return (uint64_t)(result);                                                                                         \
  }
#include "loops.inc"
#undef LOOP

struct loop {
  const char *name;
  int bytes;
  uint64_t (*run)(long);
};
static const struct loop loops[] = {
#define LOOP(name, bytes, before, body, result) {#name, bytes, loop_##name},
#include "loops.inc"
#undef LOOP
};
enum { COUNT = sizeof loops / sizeof loops[0] };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// One addition waits for the one before: a cycle each, on every processor.
static double cycle(void) {
  uint64_t x = 1;
  const long rounds = 20000;
  const double start = now();
  for (long i = 0; i < rounds; i++)
    __asm__ volatile(".rept 100\n add $1, %0\n .endr" : "+r"(x));
  const double took = now() - start;
  sink = x;
  return took / (double)(rounds * 100);
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 9;
  const double least = 2e6; // ns of a measurement
  uint32_t r = 1;
  for (int i = 0; i < N + 64; i++) {
    r = r * 1664525u + 1013904223u;
    ai[i] = (int32_t)(r >> 8), bi[i] = (int32_t)(r >> 12 | 1), al[i] = r, bl[i] = (r >> 9) | 1;
    af[i] = 1.0f + (float)(r >> 9) / 1e9f, bf[i] = af[i] * 0.5f, ad[i] = 1.0 + (double)(r >> 9) / 1e9, bd[i] = ad[i] * 0.5;
    ab[i] = (uint8_t)(r >> 24), bb[i] = (uint8_t)((r >> 16) | 1);
  }
  for (uint32_t i = 0; i < 256; i++)
    table[i] = i * 2654435761u;
  for (int i = 0; i < N; i++)
    next[i] = (i * 5 + 1) % N; // every place once
  static double times[COUNT][64], cycles[64];
  for (int k = 0; k < rounds && k < 64; k++) {
    cycles[k] = cycle();
    for (int l = 0; l < COUNT; l++) {
      long calls = 0;
      sink = loops[l].run(N);
      const double start = now();
      double took = 0;
      do {
        for (int c = 0; c < 50; c++)
          sink = loops[l].run(N);
        calls += 50;
        took = now() - start;
      } while (took < least);
      times[l][k] = took / (double)(calls * N);
    }
  }
  for (int k = 0; k < rounds && k < 64; k++)
    printf("cycle\t0\t%.5f\n", cycles[k]);
  for (int l = 0; l < COUNT; l++)
    for (int k = 0; k < rounds && k < 64; k++)
      printf("%s\t%d\t%.5f\n", loops[l].name, loops[l].bytes, times[l][k]);
  return 0;
}
