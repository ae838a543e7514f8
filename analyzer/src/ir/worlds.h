// Counterfactual compilation: the same unit optimised in several worlds, and
// what the comparison of its loops says.
//
//   written   as the source stands
//   retyped   the blamed stores have a type that aliases nothing else
//   hoisted   bounds and data pointers live in locals during the loop
//   placebo   the double pipeline of "hoisted" without its edit: what changes
//             here too is no effect of the edit
//
// A verdict uses only facts that the edit does not decide by itself: loads per
// source iteration, the vectoriser's own remark, a loop replaced by a library
// call.
#pragma once

#include "ir/loops.h"
#include "ir/pipeline.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace whyhot::ir {

// One loop of one world, copied out of the module.
struct LoopState {
  bool Present = false;       // the loop exists in this world
  bool Idiom = false;         // replaced by memset, memcpy or the like, or deleted
  bool Vectorised = false;
  unsigned VectorWidth = 0;   // elements, 0 when scalar
  unsigned Interleave = 0;
  unsigned Unroll = 1;
  unsigned Calls = 0;
  unsigned Reloads = 0;       // caused by blamed stores alone
  double LoadsPerIteration = 0;  // per iteration of the source loop
  double StoresPerIteration = 0;
};

struct Access {
  std::string Kind; // "load", "first", "write"
  SourceChain Where;
  std::string Type;
};

// A candidate loop with its fate in every world.
struct Candidate {
  std::string Predicate;
  std::string Function;
  SourceChain Start;
  unsigned Depth = 1;
  bool Innermost = false;
  std::vector<Access> Loads;  // the repeated loads
  std::vector<Access> Writes; // the stores blamed for them
  std::map<std::string, LoopState> Worlds;
  bool Confirmed = false;
  std::vector<std::string> Reach; // worlds that confirm it: "retyped", "hoisted"
  std::string Effect;             // "vectorised", "idiom", "fewer loads", ""
};

struct Options {
  std::vector<std::string> Predicates = {"char"};
  llvm::OptimizationLevel Level = llvm::OptimizationLevel::O2;
  bool StrictAliasing = true;
  bool AllRemarks = false;
  std::vector<std::string> Functions; // linkage names; empty means the whole unit
};

struct Result {
  std::vector<Candidate> Candidates;
  std::vector<Remark> Remarks; // of the world as written
  unsigned Loops = 0;
};

Result analyse(const llvm::Module &M, llvm::TargetMachine &TM, const Options &O);

} // namespace whyhot::ir
