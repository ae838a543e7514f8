// What the worlds say of a loop, copied out of the modules.
#pragma once

#include "ir/loops.h"
#include "ir/pipeline.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace whyhot::ir {

// One loop of one world.
struct LoopState {
  bool Present = false;       // the loop, or its unrolled body, exists in this world
  bool Idiom = false;         // replaced by memset, memcpy or the like, or deleted
  bool FullyUnrolled = false; // its body stands once for every iteration
  bool Vectorised = false;
  unsigned VectorWidth = 0; // elements, 0 when scalar
  unsigned Interleave = 0;
  unsigned Unroll = 1;
  unsigned Calls = 0;
  unsigned Reloads = 0;         // caused by blamed stores alone
  double LoadsPerIteration = 0; // per iteration of the source loop
  double StoresPerIteration = 0;
  // What an average iteration does: code on a branch that is hardly taken
  // counts for less than one.
  double UsualLoads = 0;
  double UsualNestLoads = 0; // sub-loops with it
  double UsualNestCalls = 0;
  double VectorCost = 0; // of a vector body, per source iteration, in LLVM's cost model; 0 for any other
  double Iterations = 1; // source iterations in one pass of the loop's body
  std::string Header;    // name of the block it starts with, "" when there is none
  std::string Function;  // where the counterpart stands
  bool Own = false;      // what is said of it was found in the function of the candidate
  // On request only.
  std::map<std::string, double> Cycles; // per source iteration, by CPU
  std::string Assembly;
  std::vector<Remark> Remarks;
};

struct Access {
  std::string Kind; // "load", "first", "write", "call"
  SourceChain Where;
  std::string Type;
};

// A copy of a source loop in which nothing is loaded again.
struct FineCopy {
  std::string Function;
  SourceChain Start;
  auto operator<=>(const FineCopy &) const = default;
};

// A candidate loop with its fate in every world.
struct Candidate {
  std::string Predicate;
  std::string Function;
  SourceChain Start;
  unsigned EndLine = 0;               // in the file of the innermost point of Start
  std::vector<SourceChain> Enclosing; // starts of the loops around it, inner first
  unsigned Depth = 1;
  bool Innermost = false;
  unsigned MostIterations = 0; // 0 when nothing bounds them
  unsigned Capacity = 0;
  double Part = 1;
  bool Carries = false, Pads = false, Digits = false, Counts = false; // see LoopFacts
  // Of an average iteration in simplified IR, sub-loops with it.
  double UsualReloads = 0, UsualNestLoads = 0, UsualNestCalls = 0;
  std::vector<Access> Loads;  // the repeated loads
  std::vector<Access> Writes; // the stores blamed for them
  std::vector<Access> Calls;  // those on slow paths that may change what is loaded
  bool Retypable = false;     // another type for one of them is the user's to choose
  std::map<std::string, LoopState> Worlds;
  bool Confirmed = false;
  std::vector<std::string> Reach;             // worlds that confirm it: "retyped", "hoisted"
  std::map<std::string, std::string> Effects; // of each world of Reach
  std::string Effect;                         // the largest: "vectorised", "idiom", "fewer loads", "fewer stores", ""
  // Sets of writes (indices into Writes) that reach the effect when the writes
  // of one set change type together, and no smaller part of the set does.
  std::vector<std::vector<unsigned>> Groups;
  std::vector<FineCopy> Fine; // copies of this source loop that are no candidates
};

// A loop of the simplified module that is followed through the worlds.
struct Followed {
  Candidate C;
  // The loop's own accesses where it is still one loop: leaf position to bytes
  // stored an iteration, and the positions with their inlining chains.
  std::map<std::string, uint64_t> StoreBytes;
  std::vector<SourceChain> LoadChains, StoreChains;
  // Of every repeated load, the sites of the stores that it is repeated for.
  std::vector<std::set<std::string>> Clobbers;
};

} // namespace whyhot::ir
