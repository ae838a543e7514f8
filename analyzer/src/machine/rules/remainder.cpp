// The loop that handles what is left over by a vector loop before it. Where it has the
// samples and the vector loop has few, the loop runs a few times only: fewer than the
// vector loop takes at a time, or little more.
#include "machine/rules/facts.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr unsigned VectorBytes = 16;

struct Walk {
  int64_t Step = 0;     // bytes in an iteration, 0: none
  bool Vectors = false; // by accesses of 16 bytes and more
  bool Stores = false;
};

Walk walkOf(const Subject &S) {
  Walk Out;
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    if (I.Bad || I.Call)
      return {};
    if ((!I.loads() && !I.stores()) || !I.At || !I.At->Bytes)
      continue;
    const auto By = strideOf(S, I);
    if (!By || *By == 0)
      continue;
    Out.Step = std::max(Out.Step, std::abs(*By));
    Out.Vectors |= I.At->Bytes >= VectorBytes;
    Out.Stores |= I.stores();
  }
  return Out;
}

// From what leaves a loop one comes to another through a few blocks that are in none
// between.
bool leadsTo(const Subject &S, const Loop &From, const Loop &To) {
  SmallPtrSet<const Block *, 16> Seen;
  SmallVector<std::pair<const Block *, unsigned>, 16> Todo;
  for (const Block *B : From.blocks())
    for (const Block *E : B->Successors)
      if (!From.contains(E))
        Todo.push_back({E, 0});
  constexpr unsigned Farthest = 5;
  while (!Todo.empty()) {
    const auto [B, Steps] = Todo.pop_back_val();
    if (B == To.getHeader())
      return true;
    if (Steps == Farthest || S.All.Info.getLoopFor(B) != To.getParentLoop() || !Seen.insert(B).second ||
        (To.getParentLoop() && B == To.getParentLoop()->getHeader()))
      continue;
    for (const Block *N : B->Successors)
      Todo.push_back({N, Steps + 1});
  }
  return false;
}

} // namespace

void remainder(const Subject &S, std::vector<Match> &Out) {
  constexpr unsigned Most = 2; // blocks
  if (!S.In.isInnermost() || S.In.getNumBlocks() > Most)
    return;
  const Walk Mine = walkOf(S);
  if (Mine.Step == 0 || Mine.Vectors)
    return;
  SmallVector<const Loop *, 8> Beside;
  if (const Loop *P = S.In.getParentLoop())
    Beside.append(P->begin(), P->end());
  else
    Beside.append(S.All.Info.begin(), S.All.Info.end());
  for (const Loop *V : Beside) {
    if (V == &S.In || !V->isInnermost() || V->getNumBlocks() > Most)
      continue;
    const Walk Its = walkOf({S.F, S.All, *V, S.T, S.Im});
    if (!Its.Vectors || Its.Step <= Mine.Step || Its.Step % Mine.Step != 0 || Its.Stores != Mine.Stores ||
        !leadsTo(S, *V, S.In))
      continue;
    uint64_t Low = ~0ULL, High = 0;
    for (const Block *B : V->blocks())
      if (!B->empty()) {
        Low = std::min(Low, S.F.Code[B->First].Address);
        High = std::max(High, S.F.Code[B->End - 1].end());
      }
    return add(Out, "machine-few-iterations", S.F.Code[S.In.getHeader()->First],
               {{"vector_low", utohexstr(Low, true)},
                {"vector_high", utohexstr(High, true)},
                {"elements", std::to_string(Its.Step / Mine.Step)}});
  }
}

namespace {

const Registered<Rule> RemainderRule("remainder", remainder);

} // namespace
} // namespace whyhot::machine::rules
