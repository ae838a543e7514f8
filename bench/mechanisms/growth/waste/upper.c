/* The length is asked for in the condition of a loop that writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    char *text = malloc(n + 1);
    memset(text, 'a', n);
    text[n] = 0;
    for (size_t i = 0; i < strlen(text); i++) /* WASTE */
        if (text[i] == 'a')
            text[i] = i % 7 ? 'A' : '-';
    printf("%c %d\n", text[n / 2], argc);
}
