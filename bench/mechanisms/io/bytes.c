/* Counts words of its input, a byte at a time; "mend" reads by stdio's buffer. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long count(int fd) {
    long words = 0;
    int in = 0;
    char c;
    while (read(fd, &c, 1) == 1) {
        if (isspace((unsigned char)c)) in = 0;
        else if (!in) in = 1, words++;
    }
    return words;
}

static long count_buffered(FILE *f) {
    long words = 0;
    int in = 0, c;
    while ((c = getc(f)) != EOF) {
        if (isspace(c)) in = 0;
        else if (!in) in = 1, words++;
    }
    return words;
}

int main(int argc, char **argv) {
    (void)argc;
    int fd = open(argv[2], O_RDONLY);
    printf("%ld\n", strcmp(argv[1], "mend") ? count(fd) : count_buffered(fdopen(fd, "r")));
    return 0;
}
