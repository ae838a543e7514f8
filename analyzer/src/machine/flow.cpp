#include "machine/flow.h"

#include "machine/jump_table.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace whyhot::machine {
namespace {

// What follows the instruction at an index.
struct Next {
  SmallVector<size_t, 2> Targets; // indices in the function
  bool Falls = true;              // into the next instruction
  bool Anywhere = false;          // an indirect jump whose targets are not known
  bool Ends = false;              // a block ends here
};

Next nextOf(const Function &F, size_t At, Image &Im, const Target &T) {
  Next Out;
  const Instruction &I = F.Code[At];
  if (I.Bad || I.Return || I.Name == "UD2" || I.Name == "HLT" || I.Name == "TRAP" || I.Name == "BRK") {
    Out.Falls = false;
    Out.Ends = true;
    return Out;
  }
  if (I.Call) {
    Out.Ends = Out.Falls = true;
    if (I.Jumps && Im.neverReturns(*I.Jumps))
      Out.Falls = false;
    else
      Out.Ends = false;
    return Out;
  }
  if (!I.Branch)
    return Out;
  Out.Ends = true;
  Out.Falls = I.Conditional;
  if (I.Jumps) {
    if (const std::ptrdiff_t To = F.find(*I.Jumps); To >= 0)
      Out.Targets.push_back(size_t(To));
    return Out;
  }
  if (I.Conditional)
    return Out;
  const Jump J = targetsOf(F, At, Im, T);
  for (uint64_t To : J.Targets)
    Out.Targets.push_back(size_t(F.find(To)));
  Out.Anywhere = J.Targets.empty() && !J.Leaves;
  return Out;
}

void link(Block &From, Block &To) {
  if (!is_contained(From.Successors, &To)) {
    From.Successors.push_back(&To);
    To.Predecessors.push_back(&From);
  }
}

bool isPadding(const Function &F, const Block &B) {
  return all_of(make_range(F.Code.begin() + std::ptrdiff_t(B.First), F.Code.begin() + std::ptrdiff_t(B.End)),
                [](const Instruction &I) { return I.Bad || I.Name.starts_with("NOOP") || I.Name == "INT3"; });
}

} // namespace

void connect(Function &F, Image &Im, const Target &T) {
  std::vector<Next> After(F.Code.size());
  std::vector<bool> Begins(F.Code.size() + 1, false);
  if (!F.Code.empty())
    Begins[0] = true;
  for (size_t N = 0; N < F.Code.size(); ++N) {
    After[N] = nextOf(F, N, Im, T);
    if (After[N].Ends)
      Begins[N + 1] = true;
    for (size_t To : After[N].Targets)
      Begins[To] = true;
  }
  auto Add = [&](size_t First, size_t End) {
    auto B = std::make_unique<Block>();
    B->Parent = &F;
    B->Number = unsigned(F.Blocks.size());
    B->First = First;
    B->End = End;
    F.Blocks.push_back(std::move(B));
    return F.Blocks.back().get();
  };
  Add(0, 0);
  DenseMap<size_t, Block *> At;
  for (size_t N = 0; N < F.Code.size();) {
    size_t End = N + 1;
    while (End < F.Code.size() && !Begins[End])
      ++End;
    At[N] = Add(N, End);
    N = End;
  }
  if (F.Blocks.size() > 1)
    link(*F.Blocks[0], *F.Blocks[1]);
  for (size_t B = 1; B < F.Blocks.size(); ++B) {
    const Next &N = After[F.Blocks[B]->End - 1];
    if (N.Falls && B + 1 < F.Blocks.size())
      link(*F.Blocks[B], *F.Blocks[B + 1]);
    for (size_t To : N.Targets)
      link(*F.Blocks[B], *At[To]);
    F.Unresolved += N.Anywhere;
  }
  if (F.Unresolved == 0)
    return;
  std::vector<Block *> Orphans;
  for (const auto &B : F.Blocks)
    if (B->Number > 0 && B->Predecessors.empty() && !isPadding(F, *B))
      Orphans.push_back(B.get());
  for (size_t B = 1; B < F.Blocks.size(); ++B)
    if (After[F.Blocks[B]->End - 1].Anywhere)
      for (Block *O : Orphans)
        link(*F.Blocks[B], *O);
}

} // namespace whyhot::machine
