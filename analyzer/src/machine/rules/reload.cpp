// A loop that stores bytes and loads, from a place that it never changes, a pointer
// or a size again in every iteration: the byte may be part of what is loaded, as far
// as C's rules on aliasing go.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

void reload(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost() || hasCall(S))
    return;
  const std::vector<Place> All = own(S);
  const Instruction *Byte = nullptr;
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (I.stores() && !I.At && I.Name != "PUSH64r")
      return; // a string instruction
    if (I.stores() && I.At->Bytes == 1 && !I.loads() && !isStack(S, *I.At) && !isFixed(S, I))
      Byte = &I;
    if (I.locked() || I.Name == "PAUSE")
      return; // others are meant to change it
  }
  if (!Byte)
    return;
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (!I.loads() || I.stores() || !I.At || (I.At->Bytes != 8 && I.At->Bytes != 4) || isStack(S, *I.At) ||
        !isFixed(S, I) || !isAlways(S, P.In))
      continue;
    // Other stores of the same size could be the reason, or change it; not those beside
    // it: the member that counts how many bytes were written.
    const bool Other = any_of(All, [&](const Place &Q) {
      const Instruction &W = S.F.Code[Q.At];
      return W.stores() && (W.At->sameAddress(*I.At) ||
                            (W.At->Bytes != 1 && !isStack(S, *W.At) && !(isFixed(S, W) && W.At->isBeside(*I.At))));
    });
    if (!Other)
      add(Out, "machine-reload", I,
          {{"address", addressText(S, *I.At)},
           {"store", utohexstr(Byte->Address, true)},
           {"bytes", std::to_string(I.At->Bytes)}});
  }
}

const Registered<Rule> Here("reload", reload);

} // namespace
} // namespace whyhot::machine::rules
