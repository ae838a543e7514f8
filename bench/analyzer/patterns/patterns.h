// Three loops that repeat loads because of the bytes they write, each as it is
// written and with the advised edits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The 5 low and 3 high bits of each byte, to two positions.
void splitWritten(const std::string &In, std::vector<uint8_t> &Out);
void splitHoisted(const std::string &In, std::vector<uint8_t> &Out);
void splitRetyped(const std::string &In, std::vector<char8_t> &Out);

// A 64-bit integer byte by byte into a byte array, for each element.
struct Key {
  uint64_t Number;
  uint8_t Bytes[8];
};
struct RetypedKey {
  uint64_t Number;
  char8_t Bytes[8];
};
void keysWritten(std::vector<Key> &Keys, const std::vector<uint64_t> &Numbers);
void keysHoisted(std::vector<Key> &Keys, const std::vector<uint64_t> &Numbers);
void keysRetyped(std::vector<RetypedKey> &Keys, const std::vector<uint64_t> &Numbers);
void keysBoth(std::vector<RetypedKey> &Keys, const std::vector<uint64_t> &Numbers);

// A copy that looks at each character.
size_t copyWritten(const std::string &In, std::string &Out);
size_t copyHoisted(const std::string &In, std::string &Out);
size_t copyRetyped(const std::string &In, std::u8string &Out);
size_t copyBoth(const std::string &In, std::u8string &Out);
