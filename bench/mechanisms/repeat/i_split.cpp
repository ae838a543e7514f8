// Words and streams for each line: cheap objects, and the data.
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

static size_t words(const std::string &line, std::map<std::string, int> &counts) {
  std::istringstream in(line);
  std::string w;
  size_t n = 0;
  while (in >> w) counts[w]++, n++;
  return n;
}

int main() {
  std::map<std::string, int> counts;
  size_t sum = 0;
  for (int i = 0; i < 700000; i++) sum += words("the quick brown fox " + std::to_string(i % 1000) + " jumps over it", counts);
  printf("%zu %zu\n", sum, counts.size());
}
