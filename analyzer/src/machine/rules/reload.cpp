// A loop that stores bytes and loads, from a place that it never changes, a pointer
// or a size again in every iteration: the byte may be part of what is loaded, as far
// as C's rules on aliasing go. So may an int be that is stored to an array, of several
// members of a structure that are ints.
//
// Example. HH[j] = h; with h made of this->open and this->extend, which are loaded
// after each store.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

// The loads, in every iteration, of as many bytes as an element of an array that the loop
// stores to, by an address that it never changes. One is nothing.
std::vector<const Instruction *> members(const Subject &S, ArrayRef<Place> All, const Instruction *&Element) {
  std::vector<const Instruction *> Loads;
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (I.stores() && !I.loads() && I.At && (I.At->Bytes == 4 || I.At->Bytes == 8) && !isStack(S, *I.At) &&
        !isFixed(S, I))
      Element = &I;
  }
  if (!Element)
    return {};
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (!I.loads() || I.stores() || !I.At || I.At->Bytes != Element->At->Bytes || isStack(S, *I.At) || !isFixed(S, I) ||
        !isAlways(S, P.In) || I.At->Base == 0)
      continue;
    const bool Written = any_of(All, [&](const Place &Q) {
      const Instruction &W = S.F.Code[Q.At];
      return W.stores() &&
             (!W.At || W.At->sameAddress(*I.At) || (isFixed(S, W) && !isStack(S, *W.At) && !W.At->isBeside(*I.At)));
    });
    const bool Known = any_of(Loads, [&](const Instruction *L) { return L->At->sameAddress(*I.At); });
    if (!Written && !Known)
      Loads.push_back(&I);
  }
  constexpr size_t Least = 2;
  return Loads.size() < Least ? std::vector<const Instruction *>() : Loads;
}

void reload(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost() || hasCall(S))
    return;
  const std::vector<Place> &All = own(S);
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
  if (!Byte) {
    const Instruction *Element = nullptr;
    for (const Instruction *I : members(S, All, Element))
      add(Out, "machine-reload", *I,
          {{"address", addressText(S, *I->At)},
           {"store", utohexstr(Element->Address, true)},
           {"stored", std::to_string(Element->At->Bytes)},
           {"bytes", std::to_string(I->At->Bytes)}});
    return;
  }
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

const Registered<Rule> ReloadRule("reload", reload);

} // namespace
} // namespace whyhot::machine::rules
