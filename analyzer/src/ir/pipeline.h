// The ordinary optimisation pipeline, run on one module, with its remarks.
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

// The analysis managers of one run. It must outlive what it analysed. What the
// passes may do beyond Shape, the module's flags say (frontend/unit.cpp).
class Pipeline {
public:
  // Shape off: no vectoriser and no unroller, for IR that an edit can read.
  explicit Pipeline(llvm::TargetMachine &TM, bool Shape = true);

  void run(llvm::Module &M, llvm::OptimizationLevel Level);
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
  bool Shape;
};

// Which remarks are worth their cost: what became of loops, or also why the
// passes left something alone.
enum class RemarkDetail { LoopFates, Everything };

std::vector<Remark> runWithRemarks(Pipeline &P, llvm::Module &M, llvm::OptimizationLevel Level,
                                   RemarkDetail Detail = RemarkDetail::LoopFates);

} // namespace whyhot::ir
