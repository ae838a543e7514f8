// Hands a BGR page of 800 × 600 to an image writer that only looks at the rows.
#include "one_arm.h"

#include "SplashBitmap.h"
#include "ImgWriter.h"

ImgWriter::~ImgWriter() = default;

namespace {

struct Rows : ImgWriter {
  std::vector<unsigned char> Last = std::vector<unsigned char>(3 * 800);
  bool init(FILE *, int, int, double, double) override { return true; }
  bool writePointers(unsigned char **, int) override { return true; }
  bool writeRow(unsigned char **Row) override {
    std::copy(*Row, *Row + Last.size(), Last.begin());
    return true;
  }
  bool close() override { return true; }
};

} // namespace

int main(int, char **Arguments) {
  SplashBitmap Bitmap(800, 600, 4, splashModeBGR8, false);
  for (int Y = 0; Y < 600; ++Y)
    for (int X = 0; X < 3 * 800; ++X)
      Bitmap.getDataPtr()[Y * Bitmap.getRowSize() + X] = (unsigned char)(X * 7 + Y);
  Rows Writer;
  timeOneArm(Arguments, [&] { Bitmap.writeImgFile(&Writer, nullptr, 72, 72, splashModeRGB8); }, Writer.Last.data(), Writer.Last.size());
}
