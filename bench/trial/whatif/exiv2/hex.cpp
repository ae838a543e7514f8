// Decodes hexadecimal text with exiv2's own function, which its previews of EPS
// use.
#include "preview.cpp"
#include "repeat.h"

int main(int argc, char **argv) {
  std::vector<Exiv2::byte> text;
  for (size_t i = 0; i < sizeArgument(argc, argv, 60000); ++i)
    text.push_back(Exiv2::byte("0123456789abcdef"[i * 7 % 16]));
  uint64_t sum = 0;
  Exiv2::DataBuf (*volatile decode)(const Exiv2::byte *, long) = decodeHex; // not inlined
  for (int n = 0; n < 3000; ++n) {
    const Exiv2::DataBuf out = decode(&text[0], long(text.size()));
    sum = sum * 31 + out.pData_[n % out.size_];
  }
  std::printf("%llu\n", (unsigned long long)sum);
  return 0;
}
