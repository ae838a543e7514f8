#include "ir/pipeline.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;

namespace whyhot::ir {
namespace {

PipelineTuningOptions tuning(bool Shape) {
  PipelineTuningOptions T;
  T.LoopVectorization = T.SLPVectorization = Shape;
  T.LoopUnrolling = T.LoopInterleaving = Shape;
  return T;
}

// The passes whose remarks say what became of a loop.
bool ofInterest(StringRef Pass) {
  return Pass == "loop-vectorize" || Pass == "slp-vectorizer" || Pass == "loop-idiom" || Pass == "loop-unroll" ||
         Pass == "loop-delete" || Pass == "licm" || Pass == "gvn" || Pass == "inline";
}

unsigned number(const DiagnosticInfoOptimizationBase &D, StringRef Key) {
  for (const auto &Arg : D.getArgs()) {
    unsigned N = 0;
    if (Arg.Key == Key && !StringRef(Arg.Val).getAsInteger(10, N))
      return N;
  }
  return 0;
}

struct Collector : DiagnosticHandler {
  explicit Collector(std::vector<Remark> &Out) : Out(Out) {}
  bool isAnalysisRemarkEnabled(StringRef Pass) const override { return Pass == "loop-vectorize"; }
  bool isMissedOptRemarkEnabled(StringRef Pass) const override { return ofInterest(Pass); }
  bool isPassedOptRemarkEnabled(StringRef Pass) const override { return ofInterest(Pass); }
  bool isAnyRemarkEnabled() const override { return true; }

  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    auto *D = dyn_cast<DiagnosticInfoIROptimization>(&DI);
    if (!D)
      return false;
    Remark R;
    R.Kind = D->isPassed() ? RemarkKind::Passed : D->isMissed() ? RemarkKind::Missed : RemarkKind::Analysis;
    R.Pass = D->getPassName().str();
    R.Name = D->getRemarkName().str();
    R.Function = D->getFunction().getName().str();
    R.Message = D->getMsg();
    // The remark itself keeps the leaf position only; the block it hangs on has
    // the inlining chain.
    const DiagnosticLocation Leaf = D->getLocation();
    if (Leaf.isValid())
      R.Where.push_back({Leaf.getAbsolutePath(), Leaf.getLine(), Leaf.getColumn(), ""});
    R.VectorWidth = number(*D, "VectorizationFactor");
    R.Interleave = number(*D, "InterleaveCount");
    R.UnrollCount = number(*D, "UnrollCount");
    Out.push_back(std::move(R));
    return true;
  }

  std::vector<Remark> &Out;
};

} // namespace

Pipeline::Pipeline(TargetMachine &TM, bool Shape) : Builder(&TM, tuning(Shape)) {
  Builder.registerModuleAnalyses(MAM);
  Builder.registerCGSCCAnalyses(CGAM);
  Builder.registerFunctionAnalyses(FAM);
  Builder.registerLoopAnalyses(LAM);
  Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);
}

void Pipeline::run(Module &M, OptimizationLevel Level) {
  Builder.buildPerModuleDefaultPipeline(Level).run(M, MAM);
}

std::vector<LoopFacts> Pipeline::loops(Function &F, const Predicate &P) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  if (LI.empty())
    return {};
  return analyseLoops(F, LI, FAM.getResult<AAManager>(F), FAM.getResult<DominatorTreeAnalysis>(F),
                      FAM.getResult<MemorySSAAnalysis>(F).getMSSA(), P);
}

std::vector<Remark> runWithRemarks(Pipeline &P, Module &M, OptimizationLevel Level) {
  std::vector<Remark> Remarks;
  LLVMContext &Context = M.getContext();
  auto Before = Context.getDiagnosticHandler();
  Context.setDiagnosticHandler(std::make_unique<Collector>(Remarks));
  P.run(M, Level);
  Context.setDiagnosticHandler(std::move(Before));
  return Remarks;
}

} // namespace whyhot::ir
