#include <regex.h>
#include <stdio.h>
#include <string.h>

static regex_t kept;

static int matches(const char *line, int waste) {
  regex_t re, *use = &kept;
  if (waste) {
    regcomp(&re, "^([a-z]+)-([0-9]+) (GET|POST) /[^ ]*$", REG_EXTENDED | REG_NOSUB);
    use = &re;
  }
  int hit = regexec(use, line, 0, NULL, 0) == 0;
  if (waste) regfree(&re);
  return hit;
}

int main(int argc, char **argv) {
  int waste = argc > 1 && strcmp(argv[1], "waste") == 0, hits = 0;
  char line[100];
  regcomp(&kept, "^([a-z]+)-([0-9]+) (GET|POST) /[^ ]*$", REG_EXTENDED | REG_NOSUB);
  for (int i = 0; i < (waste ? 40000 : 1500000); i++) {
    snprintf(line, sizeof line, "host-%d GET /index-%d", i, i * 7);
    hits += matches(line, waste);
  }
  printf("%d\n", hits);
}
