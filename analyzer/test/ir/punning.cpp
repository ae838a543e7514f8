// flags: -O3
#include <cstddef>

// The bytes are those of the number that is read.
int sumOfChanging(char *bytes, int n) {
  int *number = reinterpret_cast<int *>(bytes);
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    bytes[i] = 1;
    sum += *number;
  }
  return sum;
}

struct Packet {
  unsigned char *data;
  long length;
};

// The same through a pointer that is itself loaded again.
long readHeader(Packet *p, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    p->data[i] = 7;
    sum += *reinterpret_cast<int *>(p->data);
  }
  return sum;
}

struct Name {
  char text[64];
  long length;
};

// Members that are declared apart do not overlap, though they share an object.
void fillName(Name *n) {
  for (long i = 0; i < n->length; ++i) // want: char vectorised retyped,hoisted together=38 capacity=64
    n->text[i] = char(i * 3);
}
