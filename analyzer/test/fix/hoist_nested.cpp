// fix: hoist
// flags: -std=c++20 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Image {
  std::vector<uint8_t> pixels;
  unsigned width, height;
};
void invert(Image &image) {
  for (unsigned y = 0; y < image.height; ++y)
    for (unsigned x = 0; x < image.width; ++x) // HERE
      image.pixels[y * image.width + x] ^= 0xff;
}
int main() {
  Image image{std::vector<uint8_t>(35, 7), 7, 5};
  invert(image);
  for (unsigned x : image.pixels)
    printf("%u ", x);
}
