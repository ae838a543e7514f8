#include "ir/pipeline.h"

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Transforms/IPO/Annotation2Metadata.h"
#include "llvm/Transforms/IPO/ElimAvailExtern.h"
#include "llvm/Transforms/IPO/ForceFunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

namespace whyhot::ir {
namespace {

// The user's own -fno-vectorize and the like are flags of the module.
PipelineTuningOptions tuning(const Module &M) {
  PipelineTuningOptions T;
  T.LoopVectorization = !M.getModuleFlag("whyhot.no-vectorize");
  T.SLPVectorization = !M.getModuleFlag("whyhot.no-slp-vectorize");
  T.LoopInterleaving = !M.getModuleFlag("whyhot.no-interleave");
  return T;
}

// The passes whose remarks say what became of a loop.
bool ofInterest(StringRef Pass) {
  return Pass == "loop-vectorize" || Pass == "slp-vectorizer" || Pass == "loop-idiom" || Pass == "loop-unroll" ||
         Pass == "loop-delete" || Pass == "licm" || Pass == "gvn" || Pass == "inline";
}

bool tellsFate(StringRef Pass) {
  return Pass == "loop-vectorize" || Pass == "loop-idiom" || Pass == "loop-unroll" || Pass == "loop-delete";
}

bool isAt(const DILocation &D, const DiagnosticLocation &Leaf) {
  return D.getLine() == Leaf.getLine() && D.getColumn() == Leaf.getColumn() &&
         D.getFilename() == Leaf.getRelativePath();
}

// A remark keeps the leaf position only; the block it hangs on has the inlining
// chain. Either an instruction there stands at that very position, or one comes
// from the same function body and so shares what that was inlined into.
SourceChain chainFrom(const BasicBlock &BB, const DiagnosticLocation &Leaf) {
  const DILocation *Near = nullptr;
  for (const Instruction &I : BB)
    for (const DILocation *D = I.getDebugLoc().get(); D; D = D->getInlinedAt()) {
      if (isAt(*D, Leaf))
        return chainOf(D);
      auto *SP = D->getScope()->getSubprogram();
      if (!SP || D->getFilename() != Leaf.getRelativePath() || SP->getLine() > Leaf.getLine())
        continue;
      if (!Near || Near->getScope()->getSubprogram()->getLine() < SP->getLine())
        Near = D;
    }
  SourceChain Chain;
  if (Near) {
    Chain = chainOf(Near);
    Chain[0].Line = Leaf.getLine();
    Chain[0].Column = Leaf.getColumn();
  }
  return Chain;
}

SourceChain placeOf(const DiagnosticInfoIROptimization &D) {
  const DiagnosticLocation Leaf = D.getLocation();
  if (!Leaf.isValid())
    return {};
  if (auto *BB = dyn_cast_or_null<BasicBlock>(D.getCodeRegion()))
    if (SourceChain Chain = chainFrom(*BB, Leaf); !Chain.empty())
      return Chain;
  return {{Leaf.getAbsolutePath(), Leaf.getLine(), Leaf.getColumn(), ""}};
}

unsigned number(const DiagnosticInfoOptimizationBase &D, StringRef Key) {
  for (const auto &Arg : D.getArgs()) {
    unsigned N = 0;
    StringRef Value = Arg.Val;
    Value.consume_front("vscale x ");
    if (Arg.Key == Key && !Value.getAsInteger(10, N))
      return N;
  }
  return 0;
}

struct Collector : DiagnosticHandler {
  Collector(std::vector<Remark> &Out, RemarkDetail Detail) : Out(Out), All(Detail == RemarkDetail::Everything) {}
  bool isAnalysisRemarkEnabled(StringRef Pass) const override { return All && Pass == "loop-vectorize"; }
  bool isMissedOptRemarkEnabled(StringRef Pass) const override { return All && ofInterest(Pass); }
  bool isPassedOptRemarkEnabled(StringRef Pass) const override { return All ? ofInterest(Pass) : tellsFate(Pass); }
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
    R.Where = placeOf(*D);
    R.VectorWidth = number(*D, "VectorizationFactor");
    R.Interleave = number(*D, "InterleaveCount");
    R.UnrollCount = number(*D, "UnrollCount");
    Out.push_back(std::move(R));
    return true;
  }

  std::vector<Remark> &Out;
  bool All;
};

} // namespace

Pipeline::Pipeline(TargetMachine &TM) : TM(TM) {
  PassBuilder Builder(&TM);
  Builder.registerModuleAnalyses(MAM);
  Builder.registerCGSCCAnalyses(CGAM);
  Builder.registerFunctionAnalyses(FAM);
  Builder.registerLoopAnalyses(LAM);
  Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);
}

void Pipeline::run(Module &M, OptimizationLevel Level, ArrayRef<Stage> Stages) {
  PassBuilder Builder(&TM, tuning(M));
  ModulePassManager Passes;
  for (const Stage S : Stages)
    switch (S) {
    case Stage::Simplify:
      Passes.addPass(Annotation2MetadataPass());
      Passes.addPass(ForceFunctionAttrsPass());
      Passes.addPass(Builder.buildModuleSimplificationPipeline(Level, ThinOrFullLTOPhase::None));
      // The second half drops these too, but only at its end.
      Passes.addPass(EliminateAvailableExternallyPass());
      Passes.addPass(GlobalDCEPass());
      break;
    case Stage::SimplifyAgain:
      Passes.addPass(createModuleToFunctionPassAdaptor(
          Builder.buildFunctionSimplificationPipeline(Level, ThinOrFullLTOPhase::None)));
      break;
    case Stage::Reshape:
      Passes.addPass(Builder.buildModuleOptimizationPipeline(Level, ThinOrFullLTOPhase::None));
    }
  Passes.run(M, MAM);
}

std::vector<LoopFacts> Pipeline::loops(Function &F, const Predicate &P) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  if (LI.empty())
    return {};
  const auto &BFI = FAM.getResult<BlockFrequencyAnalysis>(F);
  auto Loops = analyseLoops(F, LI, FAM.getResult<AAManager>(F), FAM.getResult<DominatorTreeAnalysis>(F),
                            FAM.getResult<MemorySSAAnalysis>(F).getMSSA(), BFI, P);
  weigh(Loops, LI, FAM.getResult<ScalarEvolutionAnalysis>(F), BFI, FAM.getResult<TargetIRAnalysis>(F));
  return Loops;
}

const LoopInfo &Pipeline::loopInfo(Function &F) { return FAM.getResult<LoopAnalysis>(F); }

bool Pipeline::blames(Function &F, const Predicate &P) {
  const LoopInfo &LI = loopInfo(F);
  for (const Loop *L : LI)
    for (const BasicBlock *BB : L->blocks())
      for (const Instruction &I : *BB)
        if (P.Blames(I))
          return true;
  return false;
}

std::vector<Remark> runWithRemarks(Pipeline &P, Module &M, OptimizationLevel Level, ArrayRef<Stage> Stages,
                                   RemarkDetail Detail) {
  std::vector<Remark> Remarks;
  LLVMContext &Context = M.getContext();
  auto Before = Context.getDiagnosticHandler();
  Context.setDiagnosticHandler(std::make_unique<Collector>(Remarks, Detail));
  P.run(M, Level, Stages);
  Context.setDiagnosticHandler(std::move(Before));
  return Remarks;
}

} // namespace whyhot::ir
