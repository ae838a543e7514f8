// whyhot-whatif.so: a pass plug-in for clang 19 that compiles chosen loops as if
// the source had been edited there.
//
// It reads the plan that lies beside it as plan.json: no variable has to survive
// a build system, and a compiler cache sees another path for every world.
#include "edits.h"
#include "log.h"
#include "marker.h"
#include "plan.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

#include <memory>

using namespace llvm;

namespace whyhot::whatif {
namespace {

// The ordinary pipeline, stopped before loops are reshaped: what the analyser
// looks for its candidates in.
ModulePassManager simplification(OptimizationLevel Level) {
  PipelineTuningOptions Tuning;
  Tuning.LoopVectorization = Tuning.SLPVectorization = false;
  Tuning.LoopUnrolling = Tuning.LoopInterleaving = false;
  return PassBuilder(nullptr, Tuning).buildPerModuleDefaultPipeline(Level);
}

class WhatIfPass : public PassInfoMixin<WhatIfPass> {
public:
  WhatIfPass(std::shared_ptr<const Plan> Given, OptimizationLevel Level) : P(std::move(Given)), Level(Level) {
    if (Level != OptimizationLevel::O0 && P->late())
      Simplify = simplification(Level);
  }

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (isMarked(M)) // a later stage of link-time optimisation
      return PreservedAnalyses::all();
    UnitEdits Edits(*P, M);
    if (Level != OptimizationLevel::O0) {
      Edits.early();
      if (Edits.wantsLate()) {
        Simplify.run(M, MAM);
        Edits.late(MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager());
      }
    }
    mark(M, *P);
    Done D = Edits.done();
    D.Optimised = Level != OptimizationLevel::O0;
    append(*P, M, D);
    return PreservedAnalyses::none();
  }

  static bool isRequired() { return true; }

private:
  std::shared_ptr<const Plan> P;
  OptimizationLevel Level;
  ModulePassManager Simplify;
};

Expected<Plan> findPlan() {
  Dl_info Here;
  if (!dladdr(reinterpret_cast<void *>(&findPlan), &Here) || !Here.dli_fname)
    return createStringError("the plug-in does not know where it lies");
  SmallString<256> Path(sys::path::parent_path(Here.dli_fname));
  sys::path::append(Path, "plan.json");
  return readPlan(Path);
}

// A build of the wrong world is worse than none: whatever is wrong with the plan
// ends the compilation.
class RefusePass : public PassInfoMixin<RefusePass> {
public:
  explicit RefusePass(std::string Why) : Why(std::move(Why)) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    M.getContext().emitError("whyhot what-if: " + Why);
    return PreservedAnalyses::all();
  }

  static bool isRequired() { return true; }

private:
  std::string Why;
};

void registerPasses(PassBuilder &Builder) {
  std::string Problem;
  auto P = std::make_shared<const Plan>([&] {
    Expected<Plan> Read = findPlan();
    if (Read)
      return std::move(*Read);
    Problem = toString(Read.takeError());
    return Plan();
  }());
  Builder.registerPipelineStartEPCallback([P, Problem](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Problem.empty())
      MPM.addPass(WhatIfPass(P, Level));
    else
      MPM.addPass(RefusePass(Problem));
  });
}

} // namespace
} // namespace whyhot::whatif

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "whyhot-whatif", "1", whyhot::whatif::registerPasses};
}
