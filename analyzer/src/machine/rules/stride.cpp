// Loads that are a page or more apart. Each needs an entry of the TLB of its own, and
// the hardware prefetchers stop at the end of a page. Only strides that are constants
// of the code are seen: a stride in a register may be any number.
#include "machine/rules/facts.h"

#include <limits>

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

// The different offsets, in order, of the accesses by one address register pair, over the length of a step: a
// page lies between any two of them. A loop that takes a whole row in each step has
// many.
bool areApart(ArrayRef<int64_t> Offsets, int64_t Step) {
  for (size_t N = 1; N < Offsets.size(); ++N)
    if (Offsets[N] - Offsets[N - 1] < Page)
      return false;
  return Offsets.front() + Step - Offsets.back() >= Page;
}

void stride(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost())
    return;
  for (const Strided &W : stridesOf(S, Page, std::numeric_limits<int64_t>::max())) {
    SmallVector<int64_t, 8> Offsets;
    for (const auto &[Offset, Bytes] : W.Used)
      Offsets.push_back(Offset);
    // One that is loaded and stored is one place.
    llvm::sort(Offsets);
    Offsets.erase(llvm::unique(Offsets), Offsets.end());
    if (areApart(Offsets, W.Step))
      for (const Instruction *I : W.Loads)
        add(Out, "machine-stride", *I, {{"stride", std::to_string(W.Step / int64_t(Offsets.size()))}});
  }
}

const Registered<Rule> StrideRule("stride", stride);

} // namespace
} // namespace whyhot::machine::rules
