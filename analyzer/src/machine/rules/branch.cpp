// Conditional jumps inside a loop whose outcome the data decide: both ways stay in the
// loop. Of some the clock's samples tell: both ways are short of waits of their own. Of
// others only outcomes that the recording has followed do: what they skip is little.
// Example: cmp %edi,(%rcx,%rax,4); jl skip; mov %eax,(%rsi,%rdx,4); add $1,%rdx; skip:
#include "machine/rules/facts.h"

#include <map>
#include <string>

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t Longest = 64; // instructions: of a longer loop each way has a few samples only

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
    if (const Instruction &I = S.F.Code[N]; I.loads() && I.At && !I.At->Segment && !isFixed(S, I) && !isStack(S, *I.At))
      return true;
  return false;
}

// Work that nobody would do in vain.
bool isDear(const Instruction &I) {
  return I.Bad || I.Call || I.repeats() || I.slow() == Slow::Divide || I.slow() == Slow::Atomic;
}

// How many instructions lie between a block's begin and the blocks behind it that are
// reached with at most Most of them, none dear: the shortest way, jumps and all. The loop's
// header ends a way.
std::map<const Block *, size_t> reached(const Subject &S, const Block *From, size_t Most) {
  std::map<const Block *, size_t> Out{{From, 0}};
  for (SmallVector<const Block *, 8> Next{From}; !Next.empty();) {
    const Block *B = Next.pop_back_val();
    const size_t Length = Out[B] + (B->End - B->First);
    const auto Code = ArrayRef(S.F.Code).slice(B->First, B->End - B->First);
    if (B == S.In.getHeader() || Length > Most || any_of(Code, isDear))
      continue;
    for (const Block *To : inside(S, *B))
      if (const auto [It, New] = Out.try_emplace(To, Length); New || It->second > Length) {
        It->second = Length;
        Next.push_back(To);
      }
  }
  return Out;
}

// The instructions of both ways until they meet, where these are few enough to be executed
// always. Of "if (a) x = b; else x = c;" it is the two assignments, of "if (a) continue;" what
// is left of the loop.
std::optional<size_t> both(const Subject &S, const Block *One, const Block *Other) {
  constexpr size_t Most = 32;
  std::optional<size_t> Least;
  const auto OfOther = reached(S, Other, Most);
  for (const auto &[B, Length] : reached(S, One, Most))
    if (const auto It = OfOther.find(B); It != OfOther.end() && Length + It->second <= Least.value_or(Most))
      Least = Length + It->second;
  return Least;
}

// What the clock's samples can tell of: a jump that stands alone among its loop's.
std::map<std::string, std::string> byClock(const Subject &S, const Block &B, ArrayRef<const Block *> To) {
  if (own(S).size() > Longest || hasCall(S) || !asksData(S, B) || is_contained(To, S.In.getHeader()))
    return {};
  const Block *One = begin(S, To[0]), *Other = begin(S, To[1]);
  if (!One || !Other || beginsWithWait(S, *One) || beginsWithWait(S, *Other))
    return {};
  const auto OneNext = second(S, *One), OtherNext = second(S, *Other);
  if (!OneNext || !OtherNext)
    return {};
  auto At = [&](size_t N) { return utohexstr(S.F.Code[N].Address, true); };
  return {{"one", At(One->First)},
          {"one_next", At(*OneNext)},
          {"other", At(Other->First)},
          {"other_next", At(*OtherNext)}};
}

void branch(const Subject &S, std::vector<Match> &Out) {
  constexpr size_t Most = 512; // instructions
  if (!S.In.isInnermost() || own(S).size() > Most)
    return;
  std::vector<Match> Found;
  for (const Block *B : S.In.blocks()) {
    if (B->empty() || !S.F.Code[B->End - 1].Conditional)
      continue;
    const auto To = inside(S, *B);
    if (To.size() != 2)
      continue;
    auto Facts = byClock(S, *B, To);
    if (const auto Length = both(S, To[0], To[1]))
      Facts["both"] = std::to_string(*Length);
    if (!Facts.empty())
      add(Found, "machine-branch", S.F.Code[B->End - 1], std::move(Facts));
  }
  if (Found.empty())
    return;
  std::vector<Match> Searches;
  search(S, Searches);
  if (Searches.empty()) // otherwise said by that rule
    Out.insert(Out.end(), Found.begin(), Found.end());
}

const Registered<Rule> Here("branch", branch);

} // namespace
} // namespace whyhot::machine::rules
