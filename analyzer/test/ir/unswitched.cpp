// flags: -O3
#include <cstdint>

struct Info {
  unsigned width, parts, depth;
  unsigned char mask[8];
};
struct Image {
  unsigned stride;
  unsigned char *samples;
};

static unsigned part(const unsigned char *line, unsigned x, unsigned depth) {
  switch (depth) {
  case 1: return line[x >> 3] >> (7 - (x & 7)) & 1;
  case 4: return line[x >> 1] >> ((x & 1) ? 0 : 4) & 15;
  case 8: return line[x];
  }
  return 0;
}

// Unswitching makes a copy for images without parts, which only stores and is
// vectorised once the bound is a local. The loop that does the work is not: one load
// of many goes.
void maskTransparent(Info *info, Image *to, const unsigned char *line) {
  unsigned depth = info->depth;
  unsigned parts = info->parts;
  for (unsigned x = 0; x < info->width; x++) {
    unsigned same = 1;
    for (unsigned k = 0; k < parts; k++)
      if (part(line, x * parts + k, depth) != info->mask[k])
        same = 0;
    if (same)
      to->samples[x * to->stride] = 0;
  }
}

// The inner loop becomes a fill once nothing else is written between: a call in each
// iteration of this one. The copy for n <= 0 has none, and is vectorised.
struct Picture {
  unsigned char *samples;
  long stride;
  int alpha;
};
void blank(Picture *p, int x0, int x1, long y, int n, int white) {
  for (int x = x0; x < x1; x++) { // want: char fewer-loads retyped,hoisted
    unsigned char *s = &p->samples[y * p->stride + (long)x * 4];
    int k;
    for (k = 0; k < n; k++)
      s[k] = (unsigned char)white;
    if (p->alpha)
      s[k] = 255;
  }
}
