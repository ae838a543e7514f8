#include <stdio.h>
#include <stdlib.h>

/* A byte may be part of *n: it is read again each time. */
__attribute__((noinline)) static void fill(unsigned char *to, const int *n, unsigned char by)
{
    for (int i = 0; i < *n; i++)
        to[i] += by; /* hot */
}

int main(void)
{
    int n = 100000;
    unsigned char *to = calloc(n, 1);
    for (int round = 0; round < 20000; round++)
        fill(to, &n, round);
    printf("%d\n", to[0] + to[n - 1]);
    free(to);
}
