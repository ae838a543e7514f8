// One world: a module that was edited, optimised and looked at, and the search
// for a source loop in it.
#pragma once

#include "ir/facts.h"
#include "ir/pipeline.h"
#include "ir/predicate.h"

#include "llvm/IR/Module.h"

#include <memory>
#include <set>

namespace whyhot::ir {

// A loop as it left the pipeline. One source loop may be several of these: a
// vector body with its remainder and epilogue, an unrolled body with its
// remainder, the two sides of an unswitched condition.
struct Seen {
  std::string Function;
  SourceChain Start;
  std::string Header;
  unsigned Loads = 0, Stores = 0, Calls = 0, Fills = 0, Reloads = 0;
  double UsualLoads = 0, UsualNestLoads = 0, UsualNestCalls = 0, VectorCost = 0;
  uint64_t StoreBytes = 0;
  std::map<std::string, uint64_t> StoreBytesAt;
  bool Innermost = false;
};

struct World {
  std::unique_ptr<llvm::Module> M;
  std::vector<Remark> Remarks;
  std::set<std::string> Looked; // the functions that Loops are of
  std::vector<Seen> Loops;
};

// Runs stages of the pipeline on M, and describes the loops of the functions that
// are named.
World optimise(std::unique_ptr<llvm::Module> M, llvm::TargetMachine &TM, llvm::OptimizationLevel Level,
               llvm::ArrayRef<Stage> Stages, const Predicate &P, const std::set<std::string> &Functions,
               RemarkDetail Detail);

// What became of a loop of the simplified module in a world: by its start and
// inlining chain in its function, then by what a pass says it did to a loop at
// that place, then the same in any function (a world that is made of the source
// may inline otherwise).
LoopState stateOf(const World &W, const Followed &F);

// What the passes said of the loop and of its accesses in a world.
std::vector<Remark> remarksOf(const World &W, const Followed &F);

} // namespace whyhot::ir
