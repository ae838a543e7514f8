// fix: hoist
// flags: -std=c++20 -O2
// want: assumed: `memcpy` does not write to
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct Image {
  int width;
};
void rows(Image &image, int *out, std::vector<uint8_t> &bytes) {
  for (int x = 0; x < image.width; x++) { // HERE
    bytes[x] = x;
    memcpy(out + x, &x, 2);
  }
}
int main() {
  Image image{40};
  std::vector<int> out(40);
  std::vector<uint8_t> bytes(40);
  rows(image, out.data(), bytes);
  for (int i = 0; i < 40; i++)
    printf("%d %d ", out[i], bytes[i]);
}
