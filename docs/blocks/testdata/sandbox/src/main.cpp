// The program of the guides' examples: reads lines, keeps them on the heap for a
// while, and splits the bytes of each. `app FILE`; other arguments are left alone.
#include "split.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>

int main(int argc, char **argv) {
  std::ifstream in(argc > 1 ? argv[1] : "/dev/null");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  uint64_t sum = 0;
  std::vector<uint8_t> bytes(8192);
  for (int round = 0; round < 12; ++round) {
    std::map<std::string, std::unique_ptr<std::string>> kept;
    for (const std::string &line : lines) {
      split(line, bytes);
      sum += bytes[0];
      kept[line] = std::make_unique<std::string>(line + " kept for a while on the heap");
    }
    sum += kept.size();
  }
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
  std::printf("throughput: %llu\n", static_cast<unsigned long long>(sum));
}
