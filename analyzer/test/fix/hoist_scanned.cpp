// fix: hoist
// flags: -std=c++20 -O2
// want: fixed
#include <cstdio>
#include <string>
#include <vector>

// sscanf keeps no address, so nothing in the loop changes the bound; the compiler does
// not know, and loads it for every byte.
int run(const char *size, const char *in, std::vector<char> &out) {
  int length = 0;
  if (std::sscanf(size, "%d", &length) != 1)
    return 0;
  for (int i = 0; i < length; i++) // HERE
    out[i] = in[i] & 0x5f;
  return length;
}

int main() {
  std::vector<char> out(64);
  std::printf("%d ", run("9", "the quick brown fox", out));
  std::printf("%.9s\n", out.data());
}
