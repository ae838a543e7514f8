// Which of a candidate's writes must change type together.
#pragma once

#include "ir/facts.h"
#include "ir/predicate.h"
#include "ir/world.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Target/TargetMachine.h"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace whyhot::ir {

// One function with some of its blamed stores changed in type. Alone is the
// function, and Stages what takes it to the world in which all are changed. The
// loops of a function often ask for the same stores: what was compiled is kept.
class Trials {
public:
  Trials(std::unique_ptr<llvm::Module> Alone, llvm::TargetMachine &TM, llvm::OptimizationLevel Level,
         llvm::ArrayRef<Stage> Stages, const Predicate &P, std::string Function);

  const World &with(const std::set<std::string> &Sites);

private:
  std::unique_ptr<llvm::Module> Alone;
  llvm::TargetMachine &TM;
  llvm::OptimizationLevel Level;
  llvm::ArrayRef<Stage> Stages;
  const Predicate &P;
  std::string Function;
  std::map<std::set<std::string>, World> Worlds;
};

// Minimal sets of writes that reach the candidate's effect (a site is a source
// position: copies of one line change together). Tried first are the sets that
// keep one load each in the loop; where none of them is enough, one site after the
// other is taken away from all. Sets are disjoint; none is found where more than
// the listed writes must change, where the function compiled on its own behaves
// differently, or where that takes too many trials. A set that frees no load,
// because another store clobbers each of them too, is not compiled.
std::vector<std::vector<unsigned>> blame(Trials &Of, const Predicate &P, const Followed &F);

} // namespace whyhot::ir
