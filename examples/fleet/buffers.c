// Takes and gives back memory, a buffer at a time.
#include <stdlib.h>
#include <string.h>

int main(void) {
  for (;;) {
    size_t size = 100 + rand() % 900;
    char *buffer = malloc(size);
    if (!buffer) return 1;
    memset(buffer, 1, size);
    free(buffer);
  }
}
