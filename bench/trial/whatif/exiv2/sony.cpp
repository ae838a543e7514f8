// Deciphers a block as the maker notes of Sony cameras have it, with exiv2's own
// function.
#include "sonymn_int.cpp"
#include "repeat.h"

int main(int argc, char **argv) {
  std::vector<Exiv2::byte> in(sizeArgument(argc, argv, 65536));
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = Exiv2::byte(i * 7);
  uint64_t sum = 0;
  Exiv2::DataBuf (*volatile decipher)(uint16_t, const Exiv2::byte *, uint32_t, Exiv2::Internal::TiffComponent *const) =
      Exiv2::Internal::sonyTagDecipher; // not inlined
  for (int n = 0; n < 8000; ++n) {
    const Exiv2::DataBuf out = decipher(0, &in[0], uint32_t(in.size()), 0);
    sum = sum * 31 + out.pData_[n % out.size_];
  }
  std::printf("%llu\n", (unsigned long long)sum);
  return 0;
}
