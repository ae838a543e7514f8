#include <cstdio>
#include <cstring>
#include <locale>
#include <random>
#include <sstream>
#include <string>

// A number with a generator of its own, seeded from the same place.
static unsigned draw(std::mt19937_64 *kept, unsigned n) {
  if (kept) return (*kept)() % 100;
  std::mt19937_64 own(n);
  return own() % 100;
}

int main(int argc, char **argv) {
  bool waste = argc > 1 && !strcmp(argv[1], "waste");
  std::mt19937_64 kept(1);
  unsigned long sum = 0;
  for (unsigned i = 0; i < (waste ? 1500000u : 200000000u); i++) sum += draw(waste ? nullptr : &kept, i);
  printf("%lu\n", sum);
}
