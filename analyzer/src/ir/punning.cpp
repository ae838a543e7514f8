#include "ir/punning.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

#include <optional>
#include <set>

using namespace llvm;

namespace whyhot::ir {
namespace {

// How many steps an address is followed to its object; real ones take few.
constexpr unsigned MaxSteps = 12;

struct Place {
  const Value *Base = nullptr;
  int64_t Offset = 0; // the constant part; an index adds to it
  bool Indexed = false;
};

// The object an address is computed from, through indices and through the start
// values of pointers that walk along it.
Place placeOf(const Value *V, const DataLayout &DL) {
  Place P;
  std::set<const Value *> Seen;
  for (unsigned Step = 0; Step < MaxSteps && Seen.insert(V).second; ++Step) {
    V = V->stripPointerCastsForAliasAnalysis();
    if (auto *GEP = dyn_cast<GEPOperator>(V)) {
      MapVector<Value *, APInt> Variable;
      APInt Constant(DL.getIndexTypeSizeInBits(GEP->getType()), 0);
      if (!GEP->collectOffset(DL, Constant.getBitWidth(), Variable, Constant))
        break;
      P.Offset += Constant.getSExtValue();
      P.Indexed |= !Variable.empty();
      V = GEP->getPointerOperand();
    } else if (auto *Phi = dyn_cast<PHINode>(V)) {
      const Value *Start = nullptr;
      for (const Value *In : Phi->incoming_values()) {
        auto *Step = dyn_cast<GEPOperator>(In);
        if (In == Phi || (Step && Step->getPointerOperand() == Phi))
          continue;
        if (Start)
          return {Phi, 0, true};
        Start = In;
      }
      if (!Start)
        break;
      P.Indexed = true;
      V = Start;
    } else {
      break;
    }
  }
  P.Base = V;
  return P;
}

// One object, or a pointer that is read twice from one place.
bool sameBase(const Value *A, const Value *B, const DataLayout &DL, unsigned Depth = 0) {
  if (A == B)
    return true;
  auto *LoadA = dyn_cast<LoadInst>(A);
  auto *LoadB = dyn_cast<LoadInst>(B);
  if (!LoadA || !LoadB || Depth > 3)
    return false;
  const Place PA = placeOf(LoadA->getPointerOperand(), DL);
  const Place PB = placeOf(LoadB->getPointerOperand(), DL);
  return PA.Offset == PB.Offset && !PA.Indexed && !PB.Indexed && sameBase(PA.Base, PB.Base, DL, Depth + 1);
}

bool shareAnObject(const Value *A, const Value *B, const DataLayout &DL) {
  SmallVector<const Value *, 4> As, Bs;
  getUnderlyingObjects(A, As);
  getUnderlyingObjects(B, Bs);
  for (const Value *X : As)
    for (const Value *Y : Bs)
      if (sameBase(X, Y, DL))
        return true;
  return false;
}

StringRef nameOf(const MDNode *N) {
  auto *S = N && N->getNumOperands() ? dyn_cast<MDString>(N->getOperand(0)) : nullptr;
  return S ? S->getString() : StringRef();
}

int64_t offsetAt(const MDNode *N, unsigned Operand) {
  auto *C = mdconst::dyn_extract<ConstantInt>(N->getOperand(Operand));
  return C ? C->getSExtValue() : 0;
}

// Does the TBAA description of a struct have a char member at this offset? A
// scalar node has the form of a struct with one member, its parent: only the
// name tells them apart.
bool charMemberAt(const MDNode *Struct, int64_t Offset) {
  while (Struct) {
    if (nameOf(Struct) == "omnipotent char")
      return true;
    if (Struct->getNumOperands() < 3 || (Struct->getNumOperands() == 3 && !nameOf(Struct).starts_with("_ZTS")))
      return false;
    const MDNode *Member = nullptr;
    int64_t Start = 0;
    for (unsigned I = 1; I + 1 < Struct->getNumOperands(); I += 2)
      if (int64_t At = offsetAt(Struct, I + 1); At <= Offset) {
        Member = dyn_cast<MDNode>(Struct->getOperand(I));
        Start = At;
      }
    Struct = Member;
    Offset -= Start;
  }
  return false;
}

} // namespace

bool mayPun(const Instruction &Store, const LoadInst &Load) {
  const DataLayout &DL = Load.getDataLayout();
  auto *Copy = dyn_cast<MemIntrinsic>(&Store);
  const Value *To = Copy ? Copy->getRawDest() : getLoadStorePointerOperand(&Store);
  const Value *From = Load.getPointerOperand();
  if (!To || !shareAnObject(To, From, DL))
    return false;
  const Place Written = placeOf(To, DL);
  const Place Read = placeOf(From, DL);
  if (!sameBase(Written.Base, Read.Base, DL) || Read.Indexed)
    return true;
  // An index counts up from the first element.
  if (Written.Offset >= Read.Offset + int64_t(DL.getTypeStoreSize(Load.getType()).getKnownMinValue()))
    return false;
  const MDNode *Tag = Load.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3 || Tag->getOperand(0) == Tag->getOperand(1))
    return true;
  const int64_t StructStart = Read.Offset - offsetAt(Tag, 2);
  return !charMemberAt(dyn_cast<MDNode>(Tag->getOperand(0)), Written.Offset - StructStart);
}

} // namespace whyhot::ir
