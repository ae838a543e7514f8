#include "edits.h"

#include "ir/edit.h"
#include "ir/loops.h"
#include "ir/predicate.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace whyhot::whatif {

UnitEdits::UnitEdits(const Plan &P, Module &M) : P(P), M(M) {
  D.Met.resize(P.Edits.size());
  D.Made.resize(P.Edits.size());
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      D.Tagged |= I.hasMetadata(LLVMContext::MD_tbaa);
      D.Positioned |= bool(I.getDebugLoc());
    }
}

void UnitEdits::early() {
  if (any_of(P.Edits, [](const Edit &E) { return E.Predicate == "bitfield"; }))
    ir::markBitfieldStores(M);
  for (size_t I = 0; I < P.Edits.size(); ++I)
    if (!P.Edits[I].late())
      retype(I);
}

bool UnitEdits::wantsLate() {
  return any_of(P.Edits, [&](const Edit &E) { return E.late() && Places.mayHold(M, E); });
}

void UnitEdits::late(FunctionAnalysisManager &FAM) {
  for (size_t I = 0; I < P.Edits.size(); ++I) {
    if (P.Edits[I].In == World::Hoisted) {
      for (Function &F : M)
        if (!F.isDeclaration())
          hoist(I, F, FAM);
    } else if (P.Edits[I].late()) {
      retype(I);
    }
  }
}

void UnitEdits::retype(size_t Index) {
  const Edit &E = P.Edits[Index];
  const ir::Predicate *Blame = ir::findPredicate(E.Predicate, D.Tagged);
  auto chosen = [&](const Instruction &I) { return Places.contains(E.Accesses, I.getDebugLoc().get()); };
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      D.Met[Index] += I.mayReadOrWriteMemory() && chosen(I);
  if (D.Met[Index] && Blame && Blame->Retypable && !P.Placebo)
    D.Made[Index] += ir::retypeStores(M, *Blame, chosen);
}

void UnitEdits::hoist(size_t Index, Function &F, FunctionAnalysisManager &FAM) {
  const Edit &E = P.Edits[Index];
  const ir::Predicate *Blame = ir::findPredicate(E.Predicate, D.Tagged);
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  auto chosen = [&](const Loop *L) { return Places.contains(E.Loops, L->getStartLoc().get()); };
  if (!Blame || none_of(LI.getLoopsInPreorder(), chosen))
    return;
  for (const ir::LoopFacts &X :
       ir::analyseLoops(F, LI, FAM.getResult<AAManager>(F), FAM.getResult<DominatorTreeAnalysis>(F),
                        FAM.getResult<MemorySSAAnalysis>(F).getMSSA(), *Blame)) {
    if (!chosen(X.L))
      continue;
    ++D.Met[Index];
    if (!P.Placebo)
      D.Made[Index] += ir::hoistReloads(X, {});
  }
}

} // namespace whyhot::whatif
