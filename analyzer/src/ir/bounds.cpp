#include "ir/bounds.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace whyhot::ir {
namespace {

// A number is in pieces after so many iterations at most, and padding ends.
constexpr unsigned FewPieces = 16;

// The same address, if nothing in the loop changes what it is computed from in between;
// and that of the next iteration, which a loop tests for that ends by its test.
bool sameAddress(const Value *A, const Value *B, const Loop &L, unsigned Depth = 0) {
  if (A == B)
    return true;
  const auto *X = dyn_cast<Instruction>(A), *Y = dyn_cast<Instruction>(B);
  if (!X || !Y || Depth > MaxConditionDepth)
    return false;
  if (const auto *Phi = dyn_cast<PHINode>(X); Phi && Phi->getParent() == L.getHeader() && L.getLoopLatch())
    return Phi->getIncomingValueForBlock(L.getLoopLatch()) == Y;
  if (isa<PHINode>(X) || !X->isSameOperationAs(Y))
    return false;
  for (unsigned I = 0; I < X->getNumOperands(); I++)
    if (!sameAddress(X->getOperand(I), Y->getOperand(I), L, Depth + 1))
      return false;
  return true;
}

// Of an element with a constant added, or of the element itself.
const LoadInst *elementOf(const Value *V, const Loop &L) {
  while (const auto *I = dyn_cast<Instruction>(V)) {
    if (!L.contains(I))
      return nullptr;
    if (const auto *Load = dyn_cast<LoadInst>(I))
      return Load;
    const bool Counted = isa<BinaryOperator>(I) && isa<Constant>(I->getOperand(1));
    if (!Counted && !isa<CastInst>(I))
      return nullptr;
    V = I->getOperand(0);
  }
  return nullptr;
}

// A comparison that every iteration makes and that may end the loop.
struct Exit {
  const ICmpInst *Test;
  bool OnTrue; // it leaves where the comparison holds
};

SmallVector<Exit, 2> exitsOf(const Loop &L) {
  SmallVector<Exit, 2> Out;
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  for (const BasicBlock *BB : Exiting) {
    const auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    const auto *Test = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
    if (Test && (BB == L.getHeader() || BB == L.getLoopLatch()))
      Out.push_back({Test, !L.contains(Br->getSuccessor(0))});
  }
  return Out;
}

const Value *withoutCasts(const Value *V) {
  while (const auto *C = dyn_cast<CastInst>(V))
    V = C->getOperand(0);
  return V;
}

// The constant by which an iteration changes it, null where it does otherwise.
const APInt *stepOf(const Value *V, const Loop &L, ScalarEvolution &SE) {
  const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(withoutCasts(V))));
  const auto *Step =
      Rec && Rec->getLoop() == &L && Rec->isAffine() ? dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE)) : nullptr;
  return Step ? &Step->getAPInt() : nullptr;
}

bool isSmallMask(const APInt &M) { return M.isMask() && M.ult(FewPieces); }

// Leaves where the low bits of what is counted by ones, or by another odd step, have one
// value: every value comes up within as many iterations as the bits have values.
bool meetsMultiple(const Exit &X, const Loop &L, ScalarEvolution &SE) {
  const bool Equal = X.Test->getPredicate() == (X.OnTrue ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE);
  Value *Counted = nullptr;
  const APInt *Mask = nullptr;
  if (!Equal || !isa<Constant>(X.Test->getOperand(1)) ||
      !match(withoutCasts(X.Test->getOperand(0)), m_And(m_Value(Counted), m_APInt(Mask))) || !isSmallMask(*Mask))
    return false;
  const APInt *Step = stepOf(Counted, L, SE);
  return Step && (*Step)[0];
}

// Counts from n, or less where that is beyond it, to n rounded up.
bool roundsUp(const Exit &X, const Loop &L, ScalarEvolution &SE) {
  for (const unsigned Side : {0, 1}) {
    const Value *Bound = withoutCasts(X.Test->getOperand(Side));
    Value *From = nullptr;
    const APInt *Add = nullptr, *Mask = nullptr;
    if (!L.isLoopInvariant(Bound) || !match(Bound, m_And(m_Add(m_Value(From), m_APInt(Add)), m_APInt(Mask))) ||
        !isSmallMask(*Add) || !(*Add & *Mask).isZero())
      continue;
    const auto *Rec =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(withoutCasts(X.Test->getOperand(1 - Side)))));
    if (!Rec || Rec->getLoop() != &L)
      continue;
    const SCEV *N = SE.getSCEV(const_cast<Value *>(withoutCasts(From)));
    if (SCEVExprContains(Rec->getStart(), [&](const SCEV *S) { return S == N; }))
      return true;
  }
  return false;
}

} // namespace

bool carries(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](BasicBlock *BB) {
    const auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    const auto *Equal = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
    if (!Equal || !Equal->isEquality() || !isa<Constant>(Equal->getOperand(1)))
      return false;
    const bool GoesOn = L.contains(Br->getSuccessor(0));
    if (GoesOn != (Equal->getPredicate() == ICmpInst::ICMP_EQ))
      return false;
    const LoadInst *Element = elementOf(Equal->getOperand(0), L);
    return Element && any_of(L.blocks(), [&](BasicBlock *In) {
             return any_of(*In, [&](const Instruction &I) {
               const auto *S = dyn_cast<StoreInst>(&I);
               return S && sameAddress(S->getPointerOperand(), Element->getPointerOperand(), L) &&
                      (isa<Constant>(S->getValueOperand()) || elementOf(S->getValueOperand(), L) == Element);
             });
           });
  });
}

bool pads(const Loop &L, ScalarEvolution &SE) {
  return any_of(exitsOf(L), [&](const Exit &X) { return meetsMultiple(X, L, SE) || roundsUp(X, L, SE); });
}

bool digits(const Loop &L, ScalarEvolution &SE) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch)
    return false;
  const auto Few = [](const Value &Number, const APInt &Shift) {
    const unsigned Bits = Number.getType()->getIntegerBitWidth();
    return !Shift.isZero() && Shift.ult(Bits) && Bits <= FewPieces * Shift.getZExtValue();
  };
  for (const PHINode &Number : L.getHeader()->phis()) {
    const APInt *By = nullptr;
    if (Number.getType()->isIntegerTy() &&
        match(Number.getIncomingValueForBlock(Latch), m_Shift(m_Specific(&Number), m_APInt(By))) && Few(Number, *By))
      return true;
  }
  for (const BasicBlock *BB : {static_cast<const BasicBlock *>(L.getHeader()), Latch})
    for (const Instruction &I : *BB)
      if (I.isShift() && I.getType()->isIntegerTy() && L.isLoopInvariant(I.getOperand(0)))
        if (const APInt *Step = stepOf(I.getOperand(1), L, SE); Step && Few(I, Step->abs()))
          return true;
  return false;
}

unsigned capacity(const Loop &L, ScalarEvolution &SE) {
  uint64_t Least = 0;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      const auto *GEP = dyn_cast<GetElementPtrInst>(&I);
      if (!GEP || !GEP->isInBounds())
        continue;
      Type *Into = GEP->getSourceElementType();
      for (Value *Index : drop_begin(GEP->indices())) {
        const auto *Array = dyn_cast<ArrayType>(Into);
        const APInt *Step = Array && Array->getNumElements() > 1 ? stepOf(Index, L, SE) : nullptr;
        if (Step && !Step->isZero()) {
          const uint64_t Most =
              divideCeil(Array->getNumElements(), Step->abs().getLimitedValue(Array->getNumElements()));
          Least = Least ? std::min(Least, Most) : Most;
        }
        Into = GetElementPtrInst::getTypeAtIndex(Into, Index);
      }
    }
  return unsigned(std::min<uint64_t>(Least, UINT32_MAX));
}

double partOfFunction(const Loop &L) {
  const DebugLoc At = L.getStartLoc();
  if (!At)
    return 1;
  const DISubprogram *Function = At->getScope()->getSubprogram();
  unsigned Inside = 0, All = 0;
  for (const BasicBlock &BB : *L.getHeader()->getParent())
    for (const Instruction &I : BB)
      if (const DILocation *D = I.getDebugLoc();
          D && D->getInlinedAt() == At->getInlinedAt() && D->getScope()->getSubprogram() == Function)
        All++, Inside += L.contains(&BB);
  return All ? double(Inside) / All : 1;
}

std::set<const Value *> limits(const Loop &L) {
  std::set<const Value *> Out;
  for (const Exit &X : exitsOf(L))
    for (const Value *V : X.Test->operands())
      if (V = withoutCasts(V); !isa<Constant>(V) && L.isLoopInvariant(V))
        Out.insert(V);
  return Out;
}

} // namespace whyhot::ir
