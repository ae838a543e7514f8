/* Sorts numbers: n log n. */
#include <stdio.h>
#include <stdlib.h>

static int order(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    unsigned *all = malloc(n * sizeof *all), seed = 1;
    for (size_t i = 0; i < n; i++)
        all[i] = seed = seed * 1103515245 + 12345;
    qsort(all, n, sizeof *all, order);
    printf("%u\n", all[n / 2]);
    free(all);
}
