// Conditional jumps inside a loop whose outcome the data decide: both ways stay in the
// loop and are short of waits of their own, so that samples on them are about the jump.
// Example: cmp %edi,(%rcx,%rax,4); jl skip; mov %eax,(%rsi,%rdx,4); add $1,%rdx; skip:
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t LongestBranching = 64; // instructions: of a longer loop each way has a few samples only

// Where a way begins: behind a jump that stands alone in its block. Null where the way
// leaves the loop, or has nothing but jumps.
const Block *begin(const Subject &S, const Block *B) {
  constexpr unsigned Most = 2;
  for (unsigned Jumps = 0; B->End - B->First == 1 && S.F.Code[B->First].Branch && B->Successors.size() == 1; ++Jumps) {
    B = B->Successors[0];
    if (Jumps == Most || !S.In.contains(B))
      return nullptr;
  }
  return B->empty() ? nullptr : B;
}

// The second instruction of a way. It may stand in another block, where the first is left
// in one direction only.
std::optional<size_t> second(const Subject &S, const Block &B) {
  if (B.End - B.First >= 2)
    return B.First + 1;
  const auto Next = inside(S, B);
  if (B.Successors.size() != 1 || Next.empty() || Next[0]->empty())
    return std::nullopt;
  return Next[0]->First;
}

// Something near a block's begin is waited for itself: mov, cltd, idiv.
bool beginsWithWait(const Subject &S, const Block &B) {
  constexpr size_t Near = 4;
  for (size_t N = B.First; N < std::min(B.First + Near, B.End); ++N)
    if (const Instruction &I = S.F.Code[N]; I.Bad || I.slow() == Slow::Divide || I.slow() == Slow::Atomic)
      return true;
  return false;
}

// A block's jump asks what its block has read from memory: a counter's outcome is known
// beforehand.
bool asksData(const Subject &S, const Block &B) {
  for (size_t N = B.First; N < B.End; ++N)
    if (loadsElement(S, S.F.Code[N]))
      return true;
  return false;
}

void branch(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost() || own(S).size() > LongestBranching || hasCall(S))
    return;
  std::vector<Match> Found;
  for (const Block *B : S.In.blocks()) {
    if (B->empty() || !S.F.Code[B->End - 1].Conditional || !asksData(S, *B))
      continue;
    const auto To = inside(S, *B);
    if (To.size() != 2 || is_contained(To, S.In.getHeader()))
      continue;
    const Block *One = begin(S, To[0]), *Other = begin(S, To[1]);
    if (!One || !Other || beginsWithWait(S, *One) || beginsWithWait(S, *Other))
      continue;
    const auto OneNext = second(S, *One), OtherNext = second(S, *Other);
    if (!OneNext || !OtherNext)
      continue;
    auto At = [&](size_t N) { return utohexstr(S.F.Code[N].Address, true); };
    add(Found, "machine-branch", S.F.Code[B->End - 1],
        {{"one", At(One->First)},
         {"one_next", At(*OneNext)},
         {"other", At(Other->First)},
         {"other_next", At(*OtherNext)}});
  }
  if (Found.empty())
    return;
  std::vector<Match> Searches;
  search(S, Searches);
  if (Searches.empty()) // otherwise said by that rule
    Out.insert(Out.end(), Found.begin(), Found.end());
}

const Registered<Rule> BranchRule("branch", branch);

} // namespace
} // namespace whyhot::machine::rules
