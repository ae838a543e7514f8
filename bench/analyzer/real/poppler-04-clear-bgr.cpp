// Paints a page of 800 × 600 in one colour.
#include "one_arm.h"

#include "Splash.h"
#include "SplashBitmap.h"

int main(int, char **Arguments) {
  SplashBitmap Bitmap(800, 600, 4, splashModeBGR8, false, false);
  Splash Page(&Bitmap, false);
  unsigned char Colour[4] = {10, 200, 30, 0};
  timeOneArm(Arguments, [&] { Page.clear(Colour, 0); },
             Bitmap.getDataPtr() + (Bitmap.getRowSize() < 0 ? 599 * Bitmap.getRowSize() : 0), 600 * std::abs(Bitmap.getRowSize()));
}
