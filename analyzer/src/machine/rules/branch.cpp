// Conditional jumps inside a loop whose outcome the data decide: both ways stay in the
// loop and are short of waits of their own, so that samples on them are about the jump.
// Example: cmp %edi,(%rcx,%rax,4); jl skip; mov %eax,(%rsi,%rdx,4); add $1,%rdx; skip:
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t Longest = 64; // instructions: of a longer loop each way has a few samples only

bool isWithin(const Subject &S, const Block *B) { return S.In.contains(B) && S.All.Info.getLoopFor(B) == &S.In; }

// The first two instructions of a way. They may stand in two blocks, where the first is
// left in one direction only.
std::optional<std::pair<size_t, size_t>> firstTwo(const Subject &S, const Block *B) {
  for (unsigned Jumps = 0; B->End - B->First == 1 && S.F.Code[B->First].Branch && B->Successors.size() == 1; ++Jumps) {
    B = B->Successors[0]; // a jump alone
    if (Jumps == 2 || !isWithin(S, B))
      return std::nullopt;
  }
  if (B->empty())
    return std::nullopt;
  if (B->End - B->First >= 2)
    return std::pair(B->First, B->First + 1);
  if (B->Successors.size() != 1 || !isWithin(S, B->Successors[0]) || B->Successors[0]->empty())
    return std::nullopt;
  return std::pair(B->First, B->Successors[0]->First);
}

// What waits for something else than the jump.
bool waits(const Instruction &I) {
  return I.Bad || I.Call || I.slow() == Slow::Divide || I.slow() == Slow::Atomic || I.slow() == Slow::Float;
}

// Something near a block's begin waits: mov, cltd, idiv.
bool beginsWithWait(const Subject &S, const Block &B) {
  constexpr size_t Near = 4;
  for (size_t N = B.First; N < std::min(B.First + Near, B.End); ++N)
    if (waits(S.F.Code[N]))
      return true;
  return false;
}

// A block's jump asks what its block has read from memory: a counter's outcome is known
// beforehand.
bool asksData(const Subject &S, const Block &B) {
  for (size_t N = B.First; N < B.End; ++N)
    if (const Instruction &I = S.F.Code[N]; I.loads() && I.At && !I.At->Segment && !isFixed(S, I) && !isStack(S, *I.At))
      return true;
  return false;
}

void branch(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost() || own(S).size() > Longest || hasCall(S))
    return;
  std::vector<Match> Searches;
  search(S, Searches);
  if (!Searches.empty())
    return; // said by another rule
  for (const Block *B : S.In.blocks()) {
    if (B->empty() || B->Successors.size() != 2 || !S.F.Code[B->End - 1].Conditional || !asksData(S, *B))
      continue;
    const Block *To[] = {B->Successors[0], B->Successors[1]};
    if (To[0] == To[1] || !isWithin(S, To[0]) || !isWithin(S, To[1]) || To[0] == S.In.getHeader() ||
        To[1] == S.In.getHeader())
      continue;
    const auto One = firstTwo(S, To[0]), Other = firstTwo(S, To[1]);
    if (!One || !Other || beginsWithWait(S, *To[0]) || beginsWithWait(S, *To[1]))
      continue;
    auto At = [&](size_t N) { return utohexstr(S.F.Code[N].Address, true); };
    add(Out, "machine-branch", S.F.Code[B->End - 1],
        {{"one", At(One->first)},
         {"one_next", At(One->second)},
         {"other", At(Other->first)},
         {"other_next", At(Other->second)}});
  }
}

const Registered<Rule> Here("branch", branch);

} // namespace
} // namespace whyhot::machine::rules
