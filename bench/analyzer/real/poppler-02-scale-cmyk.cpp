// Scales an image of 200 × 600 pixels to 800 × 300: wider and less high.
#include "one_arm.h"

#include "Splash.h"
#include "SplashBitmap.h"

namespace {

bool nextLine(void *Data, SplashColorPtr Line, unsigned char *) {
  unsigned &N = *static_cast<unsigned *>(Data);
  for (unsigned I = 0; I < 200 * 4; ++I)
    Line[I] = (unsigned char)(I * 13 + N);
  ++N;
  return true;
}

} // namespace

int main(int, char **Arguments) {
  SplashBitmap To(800, 300, 1, splashModeCMYK8, false);
  Splash Page(&To, false);
  timeOneArm(Arguments, [&] {
    unsigned Line = 0;
    Page.scaleImageYdownXup(nextLine, &Line, splashModeCMYK8, 4, false, 200, 600, 800, 300, &To);
  }, To.getDataPtr(), 800 * 300 * 4);
}
