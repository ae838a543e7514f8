#include "patterns.h"

void splitWritten(const std::string &In, std::vector<uint8_t> &Out) {
  for (size_t I = 0; I < In.size(); ++I) {
    Out[I] = In[I] & 31;
    Out[I + In.size()] = uint8_t(In[I]) >> 5;
  }
}

void splitHoisted(const std::string &In, std::vector<uint8_t> &Out) {
  const size_t Size = In.size();
  const char *From = In.data();
  uint8_t *To = Out.data();
  for (size_t I = 0; I < Size; ++I) {
    To[I] = From[I] & 31;
    To[I + Size] = uint8_t(From[I]) >> 5;
  }
}

void splitRetyped(const std::string &In, std::vector<char8_t> &Out) {
  for (size_t I = 0; I < In.size(); ++I) {
    Out[I] = char8_t(In[I] & 31);
    Out[I + In.size()] = char8_t(uint8_t(In[I]) >> 5);
  }
}

void keysWritten(std::vector<Key> &Keys, const std::vector<uint64_t> &Numbers) {
  for (size_t J = 0; J < Numbers.size(); ++J)
    for (int I = 0; I < 8; ++I)
      Keys[J].Bytes[I] = uint8_t(Numbers[J] >> (8 * I));
}

void keysHoisted(std::vector<Key> &Keys, const std::vector<uint64_t> &Numbers) {
  Key *To = Keys.data();
  const uint64_t *From = Numbers.data();
  for (size_t J = 0, Size = Numbers.size(); J < Size; ++J) {
    const uint64_t Number = From[J];
    for (int I = 0; I < 8; ++I)
      To[J].Bytes[I] = uint8_t(Number >> (8 * I));
  }
}

void keysRetyped(std::vector<RetypedKey> &Keys, const std::vector<uint64_t> &Numbers) {
  for (size_t J = 0; J < Numbers.size(); ++J)
    for (int I = 0; I < 8; ++I)
      Keys[J].Bytes[I] = char8_t(Numbers[J] >> (8 * I));
}

void keysBoth(std::vector<RetypedKey> &Keys, const std::vector<uint64_t> &Numbers) {
  RetypedKey *To = Keys.data();
  const uint64_t *From = Numbers.data();
  for (size_t J = 0, Size = Numbers.size(); J < Size; ++J) {
    const uint64_t Number = From[J];
    for (int I = 0; I < 8; ++I)
      To[J].Bytes[I] = char8_t(Number >> (8 * I));
  }
}

size_t copyWritten(const std::string &In, std::string &Out) {
  size_t N = 0;
  for (size_t I = 0; I < In.size(); ++I)
    switch (In[I]) {
    case 'a': Out[N++] = 'b'; break;
    case '\n': break;
    case '\t': Out[N++] = ' '; break;
    default: Out[N++] = In[I];
    }
  return N;
}

size_t copyHoisted(const std::string &In, std::string &Out) {
  size_t N = 0;
  const char *From = In.data();
  char *To = Out.data();
  for (size_t I = 0, Size = In.size(); I < Size; ++I)
    switch (From[I]) {
    case 'a': To[N++] = 'b'; break;
    case '\n': break;
    case '\t': To[N++] = ' '; break;
    default: To[N++] = From[I];
    }
  return N;
}

size_t copyRetyped(const std::string &In, std::u8string &Out) {
  size_t N = 0;
  for (size_t I = 0; I < In.size(); ++I)
    switch (In[I]) {
    case 'a': Out[N++] = u8'b'; break;
    case '\n': break;
    case '\t': Out[N++] = u8' '; break;
    default: Out[N++] = char8_t(In[I]);
    }
  return N;
}

size_t copyBoth(const std::string &In, std::u8string &Out) {
  size_t N = 0;
  const char *From = In.data();
  char8_t *To = Out.data();
  for (size_t I = 0, Size = In.size(); I < Size; ++I)
    switch (From[I]) {
    case 'a': To[N++] = u8'b'; break;
    case '\n': break;
    case '\t': To[N++] = u8' '; break;
    default: To[N++] = char8_t(From[I]);
    }
  return N;
}
