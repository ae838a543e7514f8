#include "machine/loops.h"

#include "llvm/Support/GenericDomTreeConstruction.h"
#include "llvm/Support/GenericLoopInfoImpl.h"

namespace whyhot::machine {

Loops::Loops(Function &F) {
  Tree.recalculate(F);
  Info.analyze(Tree);
}

} // namespace whyhot::machine
