// flags: -O3
#include <cstdint>

struct Info {
  unsigned width, parts, depth;
  unsigned char mask[8];
};
struct Raster {
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
void maskTransparent(Info *info, Raster *to, const unsigned char *line) {
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

// The inner loop becomes a fill of unknown length, a call. The copy for n <= 0 has none,
// and is vectorised once the picture's members are locals; the other one is not.
struct Picture {
  unsigned char *samples;
  long stride;
  int w, h, n, alpha;
};
void blank(Picture *p, int x0, int x1, int y0, int y1, int white) {
  int n = p->n - p->alpha, size = p->n;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      unsigned char *s = &p->samples[(unsigned long)y * p->stride + (unsigned long)x * size];
      int k;
      for (k = 0; k < n; ++k)
        s[k] = (unsigned char)white;
      if (p->alpha)
        s[k] = 255;
    }
}

// Where there is no table only the default is stored: that copy loads nothing, and is
// unrolled. The loop that looks up loads twice.
struct Image {
  unsigned long columns, rows;
};
bool palette(int *known, const unsigned char **alpha);
unsigned char *rowOf(Image *, unsigned long y, const unsigned short **index);
void setOpacity(Image *image) {
  int known;
  const unsigned char *alpha;
  if (!palette(&known, &alpha))
    return;
  for (unsigned long y = 0; y < image->rows; y++) {
    const unsigned short *index;
    unsigned char *q = rowOf(image, y, &index);
    for (long x = 0; x < (long)image->columns; x++) { // want: char fewer-loads hoisted loads=6>2
      unsigned short i = index[x];
      if (i < (unsigned)known && alpha)
        q[3] = (unsigned char)(255 - alpha[i]);
      else
        q[3] = 0;
      q += 4;
    }
  }
}
