// Lays a transparent grey page of 800 × 600 over a background.
#include "one_arm.h"

#include "Splash.h"
#include "SplashBitmap.h"

int main(int, char **Arguments) {
  SplashBitmap Bitmap(800, 600, 4, splashModeMono8, true);
  Splash Page(&Bitmap, false);
  for (int I = 0; I < 800 * 600; ++I)
    Bitmap.getAlphaPtr()[I] = (unsigned char)(I % 251);
  unsigned char Grey[4] = {77, 0, 0, 0};
  timeOneArm(Arguments, [&] { Page.compositeBackground(Grey); }, Bitmap.getAlphaPtr(), 800 * 600);
}
