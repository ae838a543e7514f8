// Facts about the loops of a function: what they load and store, which loads
// they repeat, and which stores are the only reason for that.
#pragma once

#include "ir/predicate.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace whyhot::ir {

// One source position with the chain of inlining sites around it, innermost
// first. It is copied out of the metadata, so it outlives the module.
struct SourcePoint {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
  std::string Function; // linkage name of the scope, where line tables have it
  auto operator<=>(const SourcePoint &) const = default;
};
using SourceChain = std::vector<SourcePoint>;

// The path of a file as positions have it.
std::string pathOf(const llvm::DIFile &F);
SourceChain chainOf(const llvm::DILocation *Loc);
// Where a loop starts. Passes may drop what a loop knows of that; LLVM then takes a
// branch near its header, which of a nest may belong to the loop inside: that is no
// answer, and the chain is empty.
SourceChain startOf(const llvm::Loop &L);
std::string chainKey(const SourceChain &Chain);
std::string leafKey(const SourceChain &Chain); // of the innermost position alone

// A load that would be loop-invariant if the blamed stores did not clobber it.
struct Reload {
  llvm::LoadInst *Load;
  std::vector<llvm::Instruction *> Clobbers;
  // Plain stores to the very cell that is loaded: a counter or cursor that
  // lives in memory and could live in a local during the loop.
  std::vector<llvm::Instruction *> Updates;
  // Calls on a path that is hardly taken: a local is loaded again behind them.
  std::vector<llvm::Instruction *> SlowCalls;
  bool OnlyBlamed;       // every clobber is a blamed store on another object
  bool Hoistable = true; // a local of the user's can hold what is loaded
};

// A second access of an address with nothing but a blamed store between.
struct LocalReload {
  llvm::LoadInst *Load;
  llvm::Instruction *First;
  llvm::Instruction *Clobber;
  bool Hoistable = true;
};

// The last line of a loop, in the file and function that it starts in; 0 where
// its metadata does not say.
unsigned endLineOf(const llvm::Loop &L);

struct LoopFacts {
  llvm::Loop *L = nullptr;
  std::string Function;
  SourceChain Start;
  unsigned EndLine = 0;               // last source line, in the file of the innermost point of Start; 0 unknown
  std::vector<SourceChain> Enclosing; // starts of the loops around it, inner first
  unsigned Depth = 1;
  bool Innermost = false;
  unsigned MostIterations = 0; // 0 when nothing bounds them, or before weigh()
  // Of the loop's own blocks, sub-loops excluded.
  unsigned Loads = 0;
  unsigned Stores = 0;
  unsigned BlamedStores = 0;
  unsigned Calls = 0;
  unsigned Fills = 0; // of the calls, fills and copies of a length that the compiler does not know
  // Of an average iteration, after weigh(): what stands on a branch that is
  // hardly taken, such as an error's, counts for less than one.
  double UsualLoads = 0;
  double UsualNestLoads = 0; // sub-loops with it
  double UsualNestCalls = 0;
  double UsualReloads = 0; // of blamedReloads()
  double VectorCost = 0;   // of a vector body's own blocks, in LLVM's cost model of the processor
  uint64_t StoreBytes = 0;
  std::map<std::string, uint64_t> StoreBytesAt; // by leaf position
  std::vector<llvm::Instruction *> Accesses;    // loads and stores
  bool EndsOnVolatile = false;                  // an exit depends on a volatile load
  // What bounds the iterations (ir/bounds.h), all but the first after weigh().
  unsigned Capacity = 0;
  double Part = 1;
  bool Carries = false, Pads = false, Digits = false;
  bool Counts = false; // an iteration waits for what the one before stored: a counter or cursor in memory
  std::vector<Reload> Reloads;
  std::vector<LocalReload> Locals;

  std::set<const llvm::LoadInst *> blamed() const; // the loads that blamed stores alone repeat
  unsigned blamedReloads() const { return blamed().size(); }
};

// The loops of one function in preorder.
std::vector<LoopFacts> analyseLoops(llvm::Function &F, llvm::LoopInfo &LI, llvm::AAResults &AA, llvm::DominatorTree &DT,
                                    llvm::MemorySSA &MSSA, const llvm::BlockFrequencyInfo &BFI, const Predicate &P);

// Adds how often the parts of each loop run: its bound and what an average
// iteration does.
void weigh(std::vector<LoopFacts> &Loops, const llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
           const llvm::BlockFrequencyInfo &BFI, const llvm::TargetTransformInfo &TTI);

} // namespace whyhot::ir
