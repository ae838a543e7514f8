/* A journal that is synced after each entry, so that it survives a crash: no waste that a buffer mends. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int fd = open("/tmp/mech-synced.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    char entry[32];
    for (int i = 0; i < atoi(argv[argc - 1]); i++) {
        int n = snprintf(entry, sizeof entry, "entry %d\n", i);
        if (write(fd, entry, (size_t)n) != n || fdatasync(fd)) return 1;
    }
    return 0;
}
