/* A page is built with strcat by a helper. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(char *page, const char *piece) { strcat(page, piece); } /* WASTE */

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    char *page = calloc(n, 32), row[32];
    for (int i = 0; i < n; i++) {
        snprintf(row, sizeof row, "<td>%.3f</td>", i * 1.7);
        add(page, row);
    }
    printf("%zu %d\n", strlen(page), argc);
}
