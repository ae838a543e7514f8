// The ordinary optimisation pipeline, run on one module whole or in its halves,
// with its remarks.
#pragma once

#include "ir/loops.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

#include <string>
#include <vector>

namespace whyhot::ir {

enum class RemarkKind { Passed, Missed, Analysis };

struct Remark {
  RemarkKind Kind;
  std::string Pass;
  std::string Name;
  std::string Function;
  std::string Message;
  SourceChain Where;
  // Numbers that the remark carries, 0 where it has none.
  unsigned VectorWidth = 0;
  unsigned Interleave = 0;
  unsigned UnrollCount = 0;
};

// LLVM's pipeline has two halves. Simplify inlines and canonicalises, and drops
// what nobody calls any more: there a loop is still one loop, and every function
// is one that the object file will hold. Reshape vectorises and unrolls.
// SimplifyAgain is the part of the first half that works on single functions: it
// takes an edit of simplified IR through all that the edit may set free.
enum class Stage { Simplify, Reshape, SimplifyAgain };

// Both halves, as the compiler runs them.
inline constexpr Stage Compile[] = {Stage::Simplify, Stage::Reshape};

// The analysis managers of one run. It must outlive what it analysed. What the
// passes may do, the module's flags say (frontend/unit.cpp).
class Pipeline {
public:
  explicit Pipeline(llvm::TargetMachine &TM);

  void run(llvm::Module &M, llvm::OptimizationLevel Level, llvm::ArrayRef<Stage> Stages);
  std::vector<LoopFacts> loops(llvm::Function &F, const Predicate &P);
  const llvm::LoopInfo &loopInfo(llvm::Function &F);
  // Is there a blamed access in a loop of F? Much cheaper than loops().
  bool blames(llvm::Function &F, const Predicate &P);

private:
  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;
  llvm::TargetMachine &TM;
};

// Which remarks are worth their cost: what became of loops, or also why the
// passes left something alone.
enum class RemarkDetail { LoopFates, Everything };

std::vector<Remark> runWithRemarks(Pipeline &P, llvm::Module &M, llvm::OptimizationLevel Level,
                                   llvm::ArrayRef<Stage> Stages, RemarkDetail Detail);

} // namespace whyhot::ir
