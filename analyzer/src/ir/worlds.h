// Counterfactual compilation: the same unit optimised in several worlds, and
// what the comparison of its loops says.
//
//   written   as the source stands, the whole unit
//   retyped   the blamed stores have a type that aliases nothing else, or the
//             blamed qualifier is dropped
//   hoisted   bounds and data pointers live in locals during the loop
//   placebo   the passes of "hoisted" without its edit: what changes here too is
//             no effect of the edit
//
// Candidates are loops of functions that the object file holds: the unit is
// simplified as a whole, with its true linkage, so that what is inlined everywhere
// is gone. "written" goes on from there; "hoisted" and "placebo" simplify the
// functions with candidates once more. "retyped" starts from the source, with
// these functions and what was inlined into them; where it says yes, the same
// functions compiled alike without the edit must not.
//
// A verdict uses only facts that the edit does not decide by itself: loads per
// source iteration, the vectoriser's own remark, a loop replaced by a library
// call. Options choose which candidates are reported, never what is said of one.
#pragma once

#include "ir/facts.h"
#include "ir/predicate.h"
#include "ir/source_loops.h"
#include "ir/survey.h"

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
  // Linkage names: the loops of these functions, wherever they were inlined to,
  // and those inlined into them; empty means the whole unit.
  std::vector<std::string> Functions;
  bool Remarks = false;   // all remarks of the unit as written
  bool Blame = false;     // which writes must change together
  bool Assembly = false;  // each loop's machine code
  bool Cycles = false;    // and its throughput
  bool EveryLoop = false; // also loops that are no candidates, as a control group
  // Report the loops around this line, candidates or not, with all that the worlds
  // say of them. The file is compared from its end.
  std::string File;
  unsigned Line = 0;
};

struct Result {
  std::vector<Candidate> Candidates;
  std::vector<Remark> Remarks;         // of the world as written
  unsigned Loops = 0;                  // looked at
  std::vector<SourceLoop> SourceLoops; // of all functions; with Remarks alone
  std::vector<std::string> Undefined;  // of Options::Functions, those that the unit does not define
  unsigned Reused = 0;                 // functions of which an earlier analysis said all that there is
};

std::vector<const Predicate *> predicatesOf(const Options &O);

// Is there anything to find, before any pass?
bool mayHold(const llvm::Module &M, const Options &O);

// M is marked, and else left as it is. Who wants the survey wants it of a unit that may
// hold something.
Result analyse(llvm::Module &M, llvm::TargetMachine &TM, const Options &O, Survey *Said = nullptr);

} // namespace whyhot::ir
