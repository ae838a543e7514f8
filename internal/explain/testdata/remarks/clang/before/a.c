#include <stdio.h>
#include <stdlib.h>

/* Rounding depends on the order, so the additions wait for each other. */
__attribute__((noinline)) static double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i]; /* hot */
    return s;
}

int main(void)
{
    int n = 4000;
    double *a = malloc(n * sizeof *a), t = 0;
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int round = 0; round < 100000; round++)
        t += sum(a, n - round % 4);
    printf("%.0f\n", t);
    free(a);
}
