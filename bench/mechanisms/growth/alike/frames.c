/* Frames of a video are copied, which is the work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    size_t size = 6 << 20;
    unsigned char *from = malloc(size), *to = malloc(size);
    unsigned sum = argc;
    memset(from, 3, size);
    for (int i = 0; i < atoi(argv[1]); i++) {
        memcpy(to, from, size);
        for (size_t k = 0; k < size; k += 16)
            sum += to[k] ^ i;
        from[i % size] = sum;
    }
    printf("%u\n", sum);
}
