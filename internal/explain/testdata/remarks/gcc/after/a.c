#include <stdio.h>
#include <stdlib.h>

/* The bound is a local variable, which no store changes. */
__attribute__((noinline)) static void fill(unsigned char *to, const int *n, unsigned char by)
{
    int end = *n;
    for (int i = 0; i < end; i++)
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
