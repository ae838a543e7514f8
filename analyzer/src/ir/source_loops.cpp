#include "ir/source_loops.h"

#include "ir/loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace whyhot::ir {

std::vector<SourceLoop> sourceLoops(const Module &Unoptimised) {
  std::vector<SourceLoop> Out;
  for (const Function &F : Unoptimised) {
    if (F.isDeclaration())
      continue;
    // The dominator tree only reads, but its interface asks for more.
    DominatorTree DT(const_cast<Function &>(F));
    const LoopInfo LI(DT);
    for (const Loop *L : LI.getLoopsInPreorder()) {
      const SourceChain Start = startOf(*L);
      if (Start.empty() || Start.front().Line == 0)
        continue;
      const SourcePoint &P = Start.front();
      Out.push_back({F.getName().str(), P.File, P.Line, P.Column, std::max(P.Line, endLineOf(*L)), L->getLoopDepth()});
    }
  }
  return Out;
}

} // namespace whyhot::ir
