// Loads that are a page or more apart. Each needs an entry of the TLB of its own, and
// the hardware prefetchers stop at the end of a page. Only strides that are constants
// of the code are seen: a stride in a register may be any number.
#include "machine/rules/facts.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr int64_t Page = 4096;

// Offsets of the accesses by one address register pair, over the length of a step: a
// page lies between any two of them. A loop that takes a whole row in each step has
// many.
bool areApart(SmallVectorImpl<int64_t> &Offsets, int64_t Step) {
  llvm::sort(Offsets);
  for (size_t N = 1; N < Offsets.size(); ++N)
    if (Offsets[N] != Offsets[N - 1] && Offsets[N] - Offsets[N - 1] < Page)
      return false;
  return Offsets.front() + Step - Offsets.back() >= Page;
}

void stride(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost())
    return;
  struct Walk {
    int64_t Step = 0;
    SmallVector<int64_t, 8> Offsets;
    SmallVector<const Instruction *, 8> Loads;
  };
  MapVector<std::pair<unsigned, unsigned>, Walk> Walks;
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    if ((!I.loads() && !I.stores()) || !I.At || I.Call || !I.At->Bytes)
      continue;
    const auto By = strideOf(S, I);
    if (!By || std::abs(*By) < Page)
      continue;
    Walk &W = Walks[{I.At->Base.id(), I.At->Index.id()}];
    W.Step = std::abs(*By);
    W.Offsets.push_back(I.At->Offset);
    if (I.loads())
      W.Loads.push_back(&I);
  }
  for (auto &[Registers, W] : Walks)
    if (areApart(W.Offsets, W.Step))
      for (const Instruction *I : W.Loads)
        add(Out, "machine-stride", *I, {{"stride", std::to_string(W.Step / int64_t(W.Offsets.size()))}});
}

const Registered<Rule> Here("stride", stride);

} // namespace
} // namespace whyhot::machine::rules
