// Copies a string with some characters replaced, a switch for each.
#include "repeat.h"

#include <string>

struct Cleaner {
  std::string in, out;
  void clean();
};

__attribute__((noinline)) void Cleaner::clean() {
  for (size_t i = 0; i < in.size(); ++i) {
    switch (in[i]) {
    case '\t':
      out[i] = ' ';
      break;
    case '\n':
      out[i] = '|';
      break;
    case '"':
      out[i] = '\'';
      break;
    default:
      out[i] = in[i];
    }
  }
}

int main(int argc, char **argv) {
  Cleaner c;
  for (size_t i = 0; i < sizeArgument(argc, argv, 32768); ++i)
    c.in.push_back(i % 17 == 0 ? '\n' : i % 29 == 0 ? '"' : char('a' + i * 7 % 26));
  c.out.resize(c.in.size());
  repeat(c.in.size(), [&] { c.clean(); });
  return report(c.out.begin(), c.out.end());
}
