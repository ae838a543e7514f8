// flags: -O2
#include <cstddef>

struct Coder {
  unsigned char *buffer;
  int pos;
};

// The carry of an arithmetic coder: it ends at the first byte that is not 0xff.
void carryBack(Coder &c) {
  int x = c.pos - 1;
  while (x >= 0 && c.buffer[x] == 0xff) { // want: char fewer-loads retyped,hoisted carries
    c.buffer[x] = 0;
    x--;
  }
}

// A counter of many digits: it ends at the first that does not overflow.
void increment(Coder &c) {
  for (int i = 0; i < c.pos; i++) // want: char fewer-loads retyped,hoisted carries
    if (++c.buffer[i] != 0)
      break;
}

// As long as the text is: it goes on at all values but one.
void clear(Coder &c) {
  for (int i = 0; c.buffer[i] != 0; i++) // want: char fewer-loads retyped,hoisted
    c.buffer[i] = 0;
}

// What is overwritten decides nothing.
void fill(Coder &c, const unsigned char *in) {
  for (int i = 0; i < c.pos; i++) // want: char vectorised retyped,hoisted
    c.buffer[i] = in[i] == 0xff ? 0 : in[i];
}

// What is compared is not what is overwritten.
void copySpaces(Coder &c, const unsigned char *in) {
  for (int i = 0; i < c.pos && in[i] == ' '; i++) // want: char fewer-loads retyped,hoisted
    c.buffer[i] = ' ';
}
