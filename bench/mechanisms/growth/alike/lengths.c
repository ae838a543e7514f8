/* The lengths of many short texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    char **text = malloc(1000 * sizeof *text);
    size_t sum = argc;
    for (int i = 0; i < 1000; i++) {
        text[i] = malloc(200);
        memset(text[i], 'a', 199);
        text[i][100 + i % 99] = 0;
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 1000; i++)
            sum += strlen(text[i]);
    printf("%zu\n", sum);
}
