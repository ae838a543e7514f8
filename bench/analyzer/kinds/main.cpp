#include "../measure.h"
#include "kinds.h"

#include <cstring>

void flush(Buffer &B) { B.Used = 0; }

namespace {

void mustEqual(const void *A, const void *B, size_t Size, const char *What) {
  if (std::memcmp(A, B, Size) != 0) {
    std::fprintf(stderr, "the variants of %s differ\n", What);
    std::exit(1);
  }
}

std::vector<uint8_t> noise(size_t Size) {
  std::mt19937 Random(5);
  std::vector<uint8_t> Out(Size);
  for (uint8_t &B : Out)
    B = uint8_t(Random());
  return Out;
}

void cipher(const std::string &Label, size_t Size) {
  std::vector<std::byte> A(Size), B(Size);
  cipherWritten(A, std::byte{90}), cipherHoisted(B, std::byte{90});
  mustEqual(A.data(), B.data(), Size, "cipher");
  measure(Label, {{"written", [&] { cipherWritten(A, std::byte{90}), keep(A); }},
                  {"hoisted", [&] { cipherHoisted(B, std::byte{90}), keep(B); }}});
}

void exchange(const std::string &Label, size_t Size) {
  std::vector<uint8_t> A = noise(Size), B(Size), C = A, D = B;
  Rows First{A.data(), B.data(), Size}, Second{C.data(), D.data(), Size};
  exchangeWritten(First), exchangeHoisted(Second);
  mustEqual(A.data(), C.data(), Size, "exchange"), mustEqual(B.data(), D.data(), Size, "exchange");
  measure(Label, {{"written", [&] { exchangeWritten(First), keep(First); }},
                  {"hoisted", [&] { exchangeHoisted(Second), keep(Second); }}});
}

void words(const std::string &Label, size_t Size) {
  std::vector<uint32_t> In(Size / 4);
  for (size_t I = 0; I < In.size(); ++I)
    In[I] = uint32_t(I * 2654435761u);
  std::vector<char> A(Size), B(Size);
  Stream First{A.data(), 0}, Second{B.data(), 0};
  const Words W{In.data(), In.size()};
  wordsWritten(First, W), wordsHoisted(Second, W);
  mustEqual(A.data(), B.data(), Size, "words");
  measure(Label, {{"written", [&] { wordsWritten(First, W), keep(A); }},
                  {"hoisted", [&] { wordsHoisted(Second, W), keep(B); }}});
}

void paint(const std::string &Label, size_t Size) {
  const std::vector<uint8_t> Index = noise(Size / 4);
  std::vector<Colour> Palette(256), A(Size / 4), B(Size / 4);
  for (int I = 0; I < 256; ++I)
    Palette[I] = {uint8_t(I), uint8_t(2 * I), uint8_t(3 * I), 255};
  Line First{A.data(), int(A.size())}, Second{B.data(), int(B.size())};
  paintWritten(First, Palette.data(), Index.data()), paintHoisted(Second, Palette.data(), Index.data());
  mustEqual(A.data(), B.data(), A.size() * sizeof(Colour), "paint");
  measure(Label, {{"written", [&] { paintWritten(First, Palette.data(), Index.data()), keep(A); }},
                  {"hoisted", [&] { paintHoisted(Second, Palette.data(), Index.data()), keep(B); }}});
}

void count(const std::string &Label, size_t Size) {
  std::vector<Number> A(Size / 4), B(Size / 4);
  Numbers First{A.data(), int(A.size()), 3}, Second{B.data(), int(B.size()), 3};
  countWritten(First), countHoisted(Second);
  mustEqual(A.data(), B.data(), A.size() * sizeof(Number), "count");
  measure(Label, {{"written", [&] { countWritten(First), keep(A); }}, {"hoisted", [&] { countHoisted(Second), keep(B); }}});
}

void brighten(const std::string &Label, size_t Size) {
  const std::vector<uint8_t> In = noise(Size);
  std::vector<uint8_t> A(Size), B(Size);
  int Base = 17;
  keep(Base);
  brightenWritten(A.data(), In.data(), &Base, int(Size)), brightenHoisted(B.data(), In.data(), &Base, int(Size));
  mustEqual(A.data(), B.data(), Size, "brighten");
  measure(Label, {{"written", [&] { brightenWritten(A.data(), In.data(), &Base, int(Size)), keep(A); }},
                  {"hoisted", [&] { brightenHoisted(B.data(), In.data(), &Base, int(Size)), keep(B); }}});
}

void append(const std::string &Label, size_t Size) {
  std::vector<int> In(Size);
  for (size_t I = 0; I < Size; ++I)
    In[I] = int(I * 40503u);
  std::vector<uint8_t> A(4096), B(4096);
  Buffer First{A.data(), 0, A.size()}, Second{B.data(), 0, B.size()};
  const Values V{In.data(), In.size()};
  appendWritten(First, V), appendHoisted(Second, V);
  mustEqual(A.data(), B.data(), A.size(), "append");
  if (First.Used != Second.Used)
    std::exit(1);
  measure(Label, {{"written", [&] { appendWritten(First, V), keep(A); }}, {"hoisted", [&] { appendHoisted(Second, V), keep(B); }}});
}

void compile(const std::string &Label, size_t Size) {
  std::string In(Size, ' ');
  std::mt19937 Random(9);
  for (char &C : In)
    C = Random() % 12 == 0 ? '?' : char('a' + Random() % 26);
  std::string A(Size + 1, 0), B(Size + 1, 0);
  Pattern First{}, Second{};
  if (compileWritten(First, In.c_str(), A.data()) != compileHoisted(Second, In.c_str(), B.data()))
    std::exit(1);
  mustEqual(A.data(), B.data(), Size, "compile"), mustEqual(&First, &Second, sizeof First, "compile");
  measure(Label, {{"written", [&] { keep(compileWritten(First, In.c_str(), A.data())); }},
                  {"hoisted", [&] { keep(compileHoisted(Second, In.c_str(), B.data())); }}});
}

} // namespace

int main(int, char **Arguments) {
  const std::string Build = Arguments[1];
  for (size_t Size : {size_t(128), size_t(32768)}) {
    const std::string Bytes = ", " + std::to_string(Size) + " B | " + Build;
    cipher("cipher" + Bytes, Size);
    exchange("exchange" + Bytes, Size);
    words("words" + Bytes, Size);
    paint("paint" + Bytes, Size);
    count("count" + Bytes, Size);
    brighten("brighten" + Bytes, Size);
    append("append" + Bytes, Size);
    compile("compile" + Bytes, Size);
  }
}
