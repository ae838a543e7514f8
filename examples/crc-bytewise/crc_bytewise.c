/* A CRC-32 of a large buffer, one byte and one table look-up at a time.
 *
 * usage: crc-bytewise [MEGABYTES]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t crc_table[256];

static void make_crc_table(void) {
  for (uint32_t n = 0; n < 256; n++) {
    uint32_t c = n;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    crc_table[n] = c;
  }
}

static __attribute__((noinline)) uint32_t crc32_update(uint32_t crc, const uint8_t *p, size_t n) {
  uint32_t c = ~crc;
  while (n--) c = crc_table[(c ^ *p++) & 0xff] ^ (c >> 8);
  return ~c;
}

int main(int argc, char **argv) {
  size_t megabytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 2500;
  size_t size = 1 << 20;
  uint8_t *buffer = malloc(size);
  if (!buffer) return 1;
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < size; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    buffer[i] = (uint8_t)state;
  }
  make_crc_table();
  uint32_t crc = 0;
  for (size_t i = 0; i < megabytes; i++) crc = crc32_update(crc, buffer, size);
  printf("crc32 of %zu MB: %08x\n", megabytes, crc);
  free(buffer);
  return 0;
}
