// The words that are Booleans in XMP.
#include "one_arm.h"

#include "XMP_Environment.h"
#include "XMPCore_Impl.hpp"
#include "XMPUtils.hpp"

int main(int, char **Arguments) {
  const char *Words[] = {"True", "False", "true", "1", "FALSE", "0"};
  bool Values[6];
  timeOneArm(Arguments, [&] {
    for (int I = 0; I < 6; ++I)
      Values[I] = XMPUtils::ConvertToBool(Words[I]);
    keep(Values);
  }, Values, 6);
}
