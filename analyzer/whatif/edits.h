// Makes the edits of a plan in one unit, with the analyser's own hands: what a
// what-if build does to a loop is what its finding was confirmed by.
#pragma once

#include "log.h"
#include "plan.h"
#include "sites.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace whyhot::whatif {

class UnitEdits {
public:
  UnitEdits(const Plan &P, llvm::Module &M);

  // On the code as the front end gave it.
  void early();
  // Has the unit a place whose edit has to wait?
  bool wantsLate();
  // On code that is inlined and simplified, but not yet unrolled or vectorised.
  void late(llvm::FunctionAnalysisManager &FAM);

  const Done &done() const { return D; }

private:
  void retype(bool Late);
  void count(size_t Index);
  void hoist(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

  const Plan &P;
  llvm::Module &M;
  Sites Places;
  Done D;
};

} // namespace whyhot::whatif
