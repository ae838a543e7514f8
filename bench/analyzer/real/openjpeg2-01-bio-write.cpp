// The bit writer of packet headers: fields of the widths that occur there.
#include "one_arm.h"

extern "C" {
struct opj_bio;
opj_bio *opj_bio_create(void);
void opj_bio_init_enc(opj_bio *, unsigned char *, unsigned);
void opj_bio_write(opj_bio *, unsigned, unsigned);
int opj_bio_flush(opj_bio *);
}

int main(int, char **Arguments) {
  constexpr unsigned Widths[] = {1, 1, 3, 1, 2, 5, 1, 7, 4, 1, 9, 12};
  std::vector<unsigned char> Out(8192);
  std::mt19937 Random(5);
  std::vector<unsigned> Values(4096);
  for (unsigned &V : Values)
    V = unsigned(Random());
  opj_bio *Bio = opj_bio_create();
  timeOneArm(Arguments, [&] {
    opj_bio_init_enc(Bio, Out.data(), unsigned(Out.size()));
    for (size_t I = 0; I < Values.size(); ++I) {
      const unsigned Width = Widths[I % std::size(Widths)];
      opj_bio_write(Bio, Values[I] & ((1u << Width) - 1), Width);
    }
    opj_bio_flush(Bio);
  }, Out.data(), Out.size());
}
