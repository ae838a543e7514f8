/* Builds one long line with strcat, which looks for the end each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *join(int n)
{
    char *all = malloc((size_t)n * 8 + 1);
    char item[16];
    all[0] = 0;
    for (int i = 0; i < n; i++) {
        snprintf(item, sizeof item, "%07d;", i % 10000000);
        strcat(all, item); /* GROWS */
    }
    return all;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    char *all = join(n);
    printf("%zu\n", strlen(all));
    free(all);
}
