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
  retype(/*Late=*/false);
}

bool UnitEdits::wantsLate() {
  return any_of(P.Edits, [&](const Edit &E) { return E.late() && Places.mayHold(M, E); });
}

void UnitEdits::late(FunctionAnalysisManager &FAM) {
  for (Function &F : M)
    if (!F.isDeclaration())
      hoist(F, FAM);
  retype(/*Late=*/true);
}

// Findings may share an access: what is edited for each is counted before the
// first edit takes the reason for the second away.
void UnitEdits::retype(bool Late) {
  std::vector<size_t> Mine;
  for (size_t I = 0; I < P.Edits.size(); ++I)
    if (P.Edits[I].In == World::Retyped && P.Edits[I].late() == Late)
      Mine.push_back(I);
  for (size_t I : Mine)
    count(I);
  for (size_t I : Mine) {
    const Edit &E = P.Edits[I];
    const ir::Predicate *Blame = ir::findPredicate(E.Predicate, D.Tagged);
    if (!D.Met[I] || !Blame || !Blame->Retypable || P.Placebo)
      continue;
    const unsigned Changed = ir::retypeStores(
        M, *Blame, [&](const Instruction &At) { return Places.contains(E.Accesses, At.getDebugLoc().get()); });
    D.Made[I] = std::max(D.Made[I], Changed);
  }
}

void UnitEdits::count(size_t Index) {
  const Edit &E = P.Edits[Index];
  const ir::Predicate *Blame = ir::findPredicate(E.Predicate, D.Tagged);
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (I.mayReadOrWriteMemory() && Places.contains(E.Accesses, I.getDebugLoc().get())) {
        ++D.Met[Index];
        D.Made[Index] += !P.Placebo && Blame && Blame->Retypable && Blame->Retypes(I);
      }
}

void UnitEdits::hoist(Function &F, FunctionAnalysisManager &FAM) {
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  auto chosen = [&](const Edit &E, const Loop *L) {
    return E.In == World::Hoisted && Places.contains(E.Loops, L->getStartLoc().get());
  };
  std::vector<std::vector<ir::LoopFacts>> Found(P.Edits.size());
  for (size_t I = 0; I < P.Edits.size(); ++I) {
    const Edit &E = P.Edits[I];
    const ir::Predicate *Blame = ir::findPredicate(E.Predicate, D.Tagged);
    if (!Blame || none_of(LI.getLoopsInPreorder(), [&](const Loop *L) { return chosen(E, L); }))
      continue;
    Found[I] = ir::analyseLoops(F, LI, FAM.getResult<AAManager>(F), FAM.getResult<DominatorTreeAnalysis>(F),
                                FAM.getResult<MemorySSAAnalysis>(F).getMSSA(), FAM.getResult<BlockFrequencyAnalysis>(F),
                                *Blame);
  }
  for (size_t I = 0; I < P.Edits.size(); ++I)
    for (const ir::LoopFacts &X : Found[I]) {
      if (!chosen(P.Edits[I], X.L))
        continue;
      ++D.Met[I];
      if (!P.Placebo)
        D.Made[I] += ir::hoistReloads(X, {});
    }
}

} // namespace whyhot::whatif
