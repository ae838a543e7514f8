/* Contexts of digests are made for each message, and cost next to nothing. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

int main(void) {
  static unsigned char text[60000], out[70000];
  unsigned long sum = 0;
  for (unsigned i = 0; i < sizeof text; i++) text[i] = (unsigned char)("etaoin shrdlu"[i * 7 % 13] + i / 977 % 3);
  for (int i = 0; i < 400; i++) {
    z_stream z;
    memset(&z, 0, sizeof z);
    deflateInit(&z, 6);
    z.next_in = text, z.avail_in = sizeof text, z.next_out = out, z.avail_out = sizeof out;
    deflate(&z, Z_FINISH);
    sum += z.total_out;
    deflateEnd(&z);
  }
  printf("%lu\n", sum);
}
