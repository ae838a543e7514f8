// The program that the pages' commands are about: it makes many small strings, sorts
// them, and writes bytes in a loop whose bound those bytes might be.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
  unsigned char *data;
  unsigned long size;
};

__attribute__((noinline)) void invert(struct bytes *b) {
  for (unsigned long i = 0; i < b->size; i++) b->data[i] ^= 255;
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

__attribute__((noinline)) unsigned long parse(const long *numbers, size_t n) {
  char **words = malloc(n * sizeof *words);
  for (size_t i = 0; i < n; i++) {
    words[i] = malloc(24 + (size_t)numbers[i] % 40);
    snprintf(words[i], 24, "%ld", numbers[i] * 2654435761 % 1000003);
  }
  // A good part of the time is the allocator's: pages try another one.
  for (int again = 0; again < 12; again++) {
    for (size_t i = again % 3; i < n; i += 3) {
      char *word = malloc(24 + (size_t)(numbers[i] + again) % 200);
      strcpy(word, words[i]);
      free(words[i]);
      words[i] = word;
    }
  }
  qsort(words, n, sizeof *words, compare);
  unsigned long sum = 0;
  for (size_t i = 0; i < n; i++) sum = sum * 31 + (unsigned long)atol(words[i]);
  for (size_t i = 0; i < n; i += 2) free(words[i]);
  for (size_t i = 1; i < n; i += 2) free(words[i]);
  free(words);
  return sum;
}

int main(int argc, char **argv) {
  FILE *in = argc > 1 ? fopen(argv[1], "r") : 0;
  if (!in) {
    fprintf(stderr, "usage: app FILE\n");
    return 2;
  }
  static long numbers[1 << 16];
  size_t n = 0;
  while (n < sizeof numbers / sizeof *numbers && fscanf(in, "%ld", &numbers[n]) == 1) n++;
  fclose(in);
  static unsigned char buffer[1 << 14];
  struct bytes b = {buffer, sizeof buffer};
  unsigned long sum = 0;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < 200; i++) invert(&b);
    sum += parse(numbers, n) + buffer[round];
  }
  printf("%lu\nthroughput: %zu MB/s\n", sum, n);
  return 0;
}
