/* A page is built at its known end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    char *page = malloc((size_t)n * 32 + 32), *end = page, row[32];
    for (int i = 0; i < n; i++) {
        snprintf(row, sizeof row, "<td>%.3f</td>", i * 1.7);
        end = stpcpy(end, row);
    }
    printf("%zu %d\n", strlen(page), argc);
}
