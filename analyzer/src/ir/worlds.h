// Counterfactual compilation: the same unit optimised in several worlds, and
// what the comparison of its loops says.
//
//   written   as the source stands
//   retyped   the blamed stores have a type that aliases nothing else, or the
//             blamed qualifier is dropped
//   hoisted   bounds and data pointers live in locals during the loop
//   placebo   the double pipeline of "hoisted" without its edit: what changes
//             here too is no effect of the edit
//
// A verdict uses only facts that the edit does not decide by itself: loads per
// source iteration, the vectoriser's own remark, a loop replaced by a library
// call.
#pragma once

#include "ir/facts.h"
#include "ir/predicate.h"
#include "ir/source_loops.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Target/TargetMachine.h"

#include <string>
#include <vector>

namespace whyhot::ir {

struct Options {
  std::vector<std::string> Predicates = {"char"};
  llvm::OptimizationLevel Level = llvm::OptimizationLevel::O2;
  bool StrictAliasing = true;
  std::vector<std::string> Functions; // linkage names; empty means the whole unit
  bool Remarks = false;               // all remarks of the unit as written
  bool Blame = false;                 // which writes must change together
  bool Assembly = false;              // each loop's machine code
  bool Cycles = false;                // and its throughput
  bool EveryLoop = false;             // also loops that are no candidates, as a control group
  // Follow the loops around this line instead of the candidates, with all that
  // the worlds say of them. The file is compared from its end.
  std::string File;
  unsigned Line = 0;
};

struct Result {
  std::vector<Candidate> Candidates;
  std::vector<Remark> Remarks;         // of the world as written
  unsigned Loops = 0;                  // looked at
  std::vector<SourceLoop> SourceLoops; // of all functions; with Remarks alone
  std::vector<std::string> Undefined;  // of Options::Functions, those that the unit does not define
};

Result analyse(const llvm::Module &M, llvm::TargetMachine &TM, const Options &O);

} // namespace whyhot::ir
