// Which of a candidate's writes must change type together.
#pragma once

#include "ir/facts.h"
#include "ir/predicate.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Target/TargetMachine.h"

namespace whyhot::ir {

// Minimal sets of writes that reach the candidate's effect, found by taking
// away one site after the other (a site is a source position: copies of one
// line change together). Alone is the candidate's function, unoptimised, with what
// is inlined into it. Sets are disjoint; none is found where more than the listed
// writes must change, or where the function compiled on its own behaves
// differently.
std::vector<std::vector<unsigned>> blame(const llvm::Module &Alone, llvm::TargetMachine &TM,
                                         llvm::OptimizationLevel Level, const Predicate &P, const Followed &F);

} // namespace whyhot::ir
