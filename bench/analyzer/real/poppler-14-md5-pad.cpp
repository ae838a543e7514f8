// The digest of a key of 5 + 5 bytes, as for every object of an encrypted file.
#include "one_arm.h"

void md5(const unsigned char *Message, int Length, unsigned char *Digest);

int main(int, char **Arguments) {
  unsigned char Key[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Digest[16];
  timeOneArm(Arguments, [&] { md5(Key, 10, Digest), keep(Digest); }, Digest, 16);
}
