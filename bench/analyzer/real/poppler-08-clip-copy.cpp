// Copies a clip of six paths, as on every save of the graphics state.
#include "one_arm.h"

#include "SplashClip.h"
#include "SplashPath.h"

int main(int, char **Arguments) {
  SplashClip Clip(0, 0, 800, 600, true);
  double Identity[6] = {1, 0, 0, 1, 0, 0};
  for (int I = 0; I < 6; ++I) {
    SplashPath Triangle;
    Triangle.moveTo(10 + I, 10), Triangle.lineTo(700, 50 + I), Triangle.lineTo(300, 500), Triangle.close();
    Clip.clipToPath(&Triangle, Identity, 0.1, false);
  }
  int Paths = Clip.getNumPaths();
  timeOneArm(Arguments, [&] { delete Clip.copy(); }, &Paths, sizeof Paths);
}
