#include "../measure.h"
#include "patterns.h"

#include <cstring>

namespace {

// Printable text with a few of the characters that the copy changes.
std::string text(size_t Size) {
  std::mt19937 Random(7);
  std::string S(Size, ' ');
  for (char &C : S)
    C = Random() % 40 == 0 ? '\t' : Random() % 60 == 0 ? '\n' : char('a' + Random() % 26);
  return S;
}

void mustEqual(const void *A, const void *B, size_t Size, const char *What) {
  if (std::memcmp(A, B, Size) != 0) {
    std::fprintf(stderr, "the variants of %s differ\n", What);
    std::exit(1);
  }
}

void split(const std::string &Label, size_t Size) {
  const std::string In = text(Size);
  std::vector<uint8_t> A(2 * Size), B(2 * Size);
  std::vector<char8_t> C(2 * Size);
  splitWritten(In, A), splitHoisted(In, B), splitRetyped(In, C);
  mustEqual(A.data(), B.data(), A.size(), "split"), mustEqual(A.data(), C.data(), A.size(), "split");
  measure(Label, {{"written", [&] { splitWritten(In, A), keep(A); }},
                  {"hoisted", [&] { splitHoisted(In, B), keep(B); }},
                  {"retyped", [&] { splitRetyped(In, C), keep(C); }}});
}

void keys(const std::string &Label, size_t Size) {
  std::vector<uint64_t> Numbers(Size);
  std::mt19937_64 Random(3);
  for (uint64_t &N : Numbers)
    N = Random();
  std::vector<Key> A(Size), B(Size);
  std::vector<RetypedKey> C(Size), D(Size);
  keysWritten(A, Numbers), keysHoisted(B, Numbers), keysRetyped(C, Numbers), keysBoth(D, Numbers);
  for (const void *Other : {(const void *)B.data(), (const void *)C.data(), (const void *)D.data()})
    mustEqual(A.data(), Other, Size * sizeof(Key), "keys");
  measure(Label, {{"written", [&] { keysWritten(A, Numbers), keep(A); }},
                  {"hoisted", [&] { keysHoisted(B, Numbers), keep(B); }},
                  {"retyped", [&] { keysRetyped(C, Numbers), keep(C); }},
                  {"both", [&] { keysBoth(D, Numbers), keep(D); }}});
}

void copy(const std::string &Label, size_t Size) {
  const std::string In = text(Size);
  std::string A(Size, 0), B(Size, 0);
  std::u8string C(Size, 0), D(Size, 0);
  const size_t N = copyWritten(In, A);
  if (copyHoisted(In, B) != N || copyRetyped(In, C) != N || copyBoth(In, D) != N)
    std::exit(1);
  for (const void *Other : {(const void *)B.data(), (const void *)C.data(), (const void *)D.data()})
    mustEqual(A.data(), Other, N, "copy");
  measure(Label, {{"written", [&] { keep(copyWritten(In, A)); }},
                  {"hoisted", [&] { keep(copyHoisted(In, B)); }},
                  {"retyped", [&] { keep(copyRetyped(In, C)); }},
                  {"both", [&] { keep(copyBoth(In, D)); }}});
}

} // namespace

int main(int, char **Arguments) {
  const std::string Build = Arguments[1];
  for (size_t Size : {size_t(90), size_t(32768)}) {
    const std::string Bytes = ", " + std::to_string(Size) + " B | " + Build;
    split("split" + Bytes, Size);
    keys("keys" + Bytes, Size / sizeof(uint64_t));
    copy("copy" + Bytes, Size);
  }
}
