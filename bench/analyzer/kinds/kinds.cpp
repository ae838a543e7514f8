#include "kinds.h"

#include <cstring>
#include <utility>

void cipherWritten(std::vector<std::byte> &Text, std::byte Key) {
  for (size_t I = 0; I < Text.size(); ++I)
    Text[I] ^= Key;
}

void cipherHoisted(std::vector<std::byte> &Text, std::byte Key) {
  std::byte *const Data = Text.data();
  for (size_t I = 0, Size = Text.size(); I < Size; ++I)
    Data[I] ^= Key;
}

void exchangeWritten(Rows &R) {
  for (size_t I = 0; I < R.Width; ++I)
    std::swap(R.Upper[I], R.Lower[I]);
}

void exchangeHoisted(Rows &R) {
  uint8_t *const Upper = R.Upper, *const Lower = R.Lower;
  for (size_t I = 0, Width = R.Width; I < Width; ++I)
    std::swap(Upper[I], Lower[I]);
}

void wordsWritten(Stream &S, const Words &W) {
  for (size_t I = 0; I < W.Count; ++I) {
    const uint32_t Word = ~W.Data[I];
    std::memcpy(S.Data + 4 * I, &Word, sizeof Word);
  }
}

void wordsHoisted(Stream &S, const Words &W) {
  char *const To = S.Data;
  const uint32_t *const From = W.Data;
  for (size_t I = 0, Count = W.Count; I < Count; ++I) {
    const uint32_t Word = ~From[I];
    std::memcpy(To + 4 * I, &Word, sizeof Word);
  }
}

void paintWritten(Line &L, const Colour *Palette, const uint8_t *Index) {
  for (int I = 0; I < L.Width; ++I)
    L.Pixels[I] = Palette[Index[I]];
}

void paintHoisted(Line &L, const Colour *Palette, const uint8_t *Index) {
  Colour *const Pixels = L.Pixels;
  for (int I = 0, Width = L.Width; I < Width; ++I)
    Pixels[I] = Palette[Index[I]];
}

void countWritten(Numbers &N) {
  for (int I = 0; I < N.Count; ++I)
    N.List[I].Whole = N.Step * I;
}

void countHoisted(Numbers &N) {
  Number *const List = N.List;
  const int Step = N.Step;
  for (int I = 0, Count = N.Count; I < Count; ++I)
    List[I].Whole = Step * I;
}

void brightenWritten(uint8_t *Out, const uint8_t *In, const int *Base, int N) {
  for (int I = 0; I < N; ++I)
    Out[I] = In[I] + *Base;
}

void brightenHoisted(uint8_t *Out, const uint8_t *In, const int *Base, int N) {
  const int Add = *Base;
  for (int I = 0; I < N; ++I)
    Out[I] = In[I] + Add;
}

void appendWritten(Buffer &B, const Values &V) {
  for (size_t I = 0; I < V.Count; ++I) {
    if (__builtin_expect(B.Used == B.Room, 0))
      flush(B);
    B.Data[B.Used++] = uint8_t(V.Data[I] >> 3);
  }
}

void appendHoisted(Buffer &B, const Values &V) {
  const int *const From = V.Data;
  uint8_t *To = B.Data;
  size_t Used = B.Used, Room = B.Room;
  for (size_t I = 0, Count = V.Count; I < Count; ++I) {
    if (__builtin_expect(Used == Room, 0)) {
      B.Used = Used;
      flush(B);
      To = B.Data, Used = B.Used, Room = B.Room;
    }
    To[Used++] = uint8_t(From[I] >> 3);
  }
  B.Used = Used;
}

size_t compileWritten(Pattern &P, const char *In, char *To) {
  const char *const Start = To;
  unsigned Pending = 0;
  for (; *In; ++In) {
    if (*In == '?') {
      ++Pending;
      P.Shortest++;
      P.Longest += 4;
      continue;
    }
    for (; Pending; --Pending)
      *To++ = '?';
    P.Shortest++;
    P.Longest++;
    P.Plain++;
    *To++ = *In;
  }
  return size_t(To - Start);
}

size_t compileHoisted(Pattern &P, const char *In, char *To) {
  const char *const Start = To;
  unsigned Pending = 0, Shortest = P.Shortest, Longest = P.Longest, Plain = P.Plain;
  for (; *In; ++In) {
    if (*In == '?') {
      ++Pending;
      Shortest++;
      Longest += 4;
      continue;
    }
    for (; Pending; --Pending)
      *To++ = '?';
    Shortest++;
    Longest++;
    Plain++;
    *To++ = *In;
  }
  P.Shortest = Shortest, P.Longest = Longest, P.Plain = Plain;
  return size_t(To - Start);
}
