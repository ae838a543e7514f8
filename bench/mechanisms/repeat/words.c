#include <iconv.h>
#include <stdio.h>
#include <string.h>

static iconv_t kept;

static size_t convert(const char *text, int waste) {
  iconv_t cd = waste ? iconv_open("UTF-16LE", "ISO-8859-1") : kept;
  char out[256], *to = out, *from = (char *)text;
  size_t left = strlen(text), room = sizeof out;
  iconv(cd, &from, &left, &to, &room);
  if (waste) iconv_close(cd);
  return sizeof out - room;
}

int main(int argc, char **argv) {
  int waste = argc > 1 && strcmp(argv[1], "waste") == 0;
  size_t sum = 0;
  kept = iconv_open("UTF-16LE", "ISO-8859-1");
  for (int i = 0; i < 4000000; i++) sum += convert("some words of a text that has sixty letters or so, as lines have", waste);
  printf("%zu\n", sum);
}
