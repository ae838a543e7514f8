// A benchmark of one build of a real function: the program is linked once with
// the function as written and once as edited, and run in turn by time.py.
#pragma once

#include "../measure.h"

// Prints what the function made, to be compared between the builds, and its times.
inline void timeOneArm(char **Arguments, const std::function<void()> &Call, const void *Made, size_t Size) {
  Call();
  unsigned long Hash = 1469598103934665603UL;
  for (size_t I = 0; I < Size; ++I)
    Hash = (Hash ^ static_cast<const unsigned char *>(Made)[I]) * 1099511628211UL;
  std::printf("made %lx\n", Hash);
  measure(Arguments[2], {{Arguments[1], Call}});
}
