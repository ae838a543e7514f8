#include <stdio.h>
#include <string.h>

static const char *words[] = {"if", "else", "while", "for", "return", "int", "char"};

static int keyword(const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0)
            return (int)i;
    return -1;
}

int main(void)
{
    static char text[1 << 20];
    size_t at = 0;
    for (unsigned i = 0; at + 20 < sizeof text; i++)
        at += (size_t)sprintf(text + at, i % 3 ? "value%u " : "while ", i * 7919u % 1000u);
    long found = 0;
    for (int pass = 0; pass < 60; pass++) {
        const char *p = text;
        while (*p) {
            const char *from = p;
            while (*p && *p != ' ')
                p++;
            found += keyword(from, (size_t)(p - from)) >= 0;
            while (*p == ' ')
                p++;
        }
    }
    printf("%ld\n", found);
    return 0;
}
