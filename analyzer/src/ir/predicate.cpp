#include "ir/predicate.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace whyhot::ir {
namespace {

// A scalar TBAA tag names the same node as base and access type.
const MDNode *scalarAccessNode(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3)
    return nullptr;
  auto *Base = dyn_cast<MDNode>(Tag->getOperand(0));
  auto *Access = dyn_cast<MDNode>(Tag->getOperand(1));
  return Base && Base == Access ? Access : nullptr;
}

StringRef nodeName(const MDNode *N) {
  if (!N || N->getNumOperands() < 1)
    return {};
  auto *S = dyn_cast<MDString>(N->getOperand(0));
  return S ? S->getString() : StringRef();
}

bool hasCharTag(const Instruction &I) { return nodeName(scalarAccessNode(I)) == "omnipotent char"; }

StringRef accessNodeName(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3)
    return {};
  return nodeName(dyn_cast<MDNode>(Tag->getOperand(1)));
}

const StoreInst *plainStore(const Instruction &I) {
  auto *S = dyn_cast<StoreInst>(&I);
  return S && S->isSimple() ? S : nullptr;
}

bool retypesChar(const Instruction &I) {
  auto *S = plainStore(I);
  return S && S->getValueOperand()->getType()->getScalarType()->isIntegerTy(8) && isCharTagged(I);
}

bool untagged(const Instruction &I) { return !I.getMetadata(LLVMContext::MD_tbaa); }

// How deep the value of a bit-field store is looked into.
constexpr unsigned MaxValueDepth = 4;

bool mergesBits(const Value *V, const Value *Address, unsigned Depth = 0) {
  if (auto *Load = dyn_cast<LoadInst>(V))
    return Load->getPointerOperand() == Address;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > MaxValueDepth)
    return false;
  switch (I->getOpcode()) {
  case Instruction::And:
    if (isa<ConstantInt>(I->getOperand(1)))
      return true; // the other bits are kept, wherever the old word came from
    [[fallthrough]];
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Select:
    return any_of(I->operands(), [&](const Use &Op) { return mergesBits(Op, Address, Depth + 1); });
  default:
    return false;
  }
}

// clang gives a bit-field store no tag at all, so it clobbers everything. The
// value is the old word with some bits replaced: or(and(load, mask), new), or
// what instruction combining makes of it.
bool mergesStoredBits(const Instruction &I) {
  auto *S = plainStore(I);
  return S && untagged(I) && S->getValueOperand()->getType()->isIntegerTy() && isa<Instruction>(S->getValueOperand()) &&
         !isa<LoadInst>(S->getValueOperand()) && mergesBits(S->getValueOperand(), S->getPointerOperand());
}

constexpr char BitfieldMark[] = "whyhot.bitfield";

bool blamesBitfield(const Instruction &I) {
  auto *S = plainStore(I);
  return S && untagged(I) && (I.getMetadata(BitfieldMark) || mergesStoredBits(I));
}

bool writesLocal(const Value *Address) { return isa<AllocaInst>(getUnderlyingObject(Address)); }

// Stores without a type, and those whose type says that they may alias anything,
// whatever their width. Only before stores are merged: later passes give char's
// tag to what they make of several stores.
bool blamesUntyped(const Instruction &I) {
  // A longer copy is a call that somebody wrote, or was made of a loop of stores
  // and has their type.
  if (auto *Copy = dyn_cast<MemIntrinsic>(&I))
    return (isMove(I) || hasCharTag(I)) && !Copy->isVolatile() && !writesLocal(Copy->getRawDest());
  auto *S = plainStore(I);
  return S && (isCharTagged(I) || (untagged(I) && !blamesBitfield(I))) && !writesLocal(S->getPointerOperand());
}

bool blamesChar(const Instruction &I) { return retypesChar(I) || blamesUntyped(I); }

bool storesPointer(const Instruction &I) {
  auto *S = plainStore(I);
  return S && S->getValueOperand()->getType()->isPointerTy();
}

bool storesSize(const Instruction &I) {
  auto *S = plainStore(I);
  return S && S->getValueOperand()->getType()->isIntegerTy(64);
}

bool blamesPointer(const Instruction &I) { return storesPointer(I) && accessNodeName(I) == "any pointer"; }

bool blamesSize(const Instruction &I) {
  if (!storesSize(I))
    return false;
  StringRef Name = accessNodeName(I);
  return Name == "long" || Name == "long long";
}

bool blamesVolatile(const Instruction &I) {
  auto *L = dyn_cast<LoadInst>(&I);
  auto *S = dyn_cast<StoreInst>(&I);
  return (L && L->isVolatile() && !L->isAtomic()) || (S && S->isVolatile() && !S->isAtomic());
}

bool blamesUntaggedChar(const Instruction &I) {
  auto *S = plainStore(I);
  return S && untagged(I) && S->getValueOperand()->getType()->getScalarType()->isIntegerTy(8);
}

bool blamesUntaggedPointer(const Instruction &I) { return storesPointer(I) && untagged(I); }

bool blamesUntaggedSize(const Instruction &I) { return storesSize(I) && untagged(I); }

} // namespace

Type *accessType(const Instruction &I) {
  if (auto *S = dyn_cast<StoreInst>(&I))
    return S->getValueOperand()->getType();
  if (auto *L = dyn_cast<LoadInst>(&I))
    return L->getType();
  return nullptr;
}

// What a compiler moves itself rather than calling a function; 128 on x86.
constexpr uint64_t MostBytesMoved = 64;

bool isMove(const Instruction &I) {
  auto *M = dyn_cast<MemIntrinsic>(&I);
  auto *Length = M ? dyn_cast<ConstantInt>(M->getLength()) : nullptr;
  return Length && Length->getValue().ule(MostBytesMoved);
}

uint64_t bytesWritten(const Instruction &I) {
  if (isMove(I))
    return cast<ConstantInt>(cast<MemIntrinsic>(I).getLength())->getZExtValue();
  auto *S = dyn_cast<StoreInst>(&I);
  return S ? I.getDataLayout().getTypeStoreSize(S->getValueOperand()->getType()).getKnownMinValue() : 0;
}

bool isCharTagged(const Instruction &I) { return accessType(I) && hasCharTag(I); }

void markBitfieldStores(Module &M) {
  MDNode *Mark = MDNode::get(M.getContext(), {});
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (mergesStoredBits(I))
        I.setMetadata(BitfieldMark, Mark);
}

const std::vector<Predicate> &predicates(bool StrictAliasing) {
  static const std::vector<Predicate> Typed = {
      {"char", blamesChar, retypesChar, true},
      {"bitfield", blamesBitfield, blamesBitfield, true},
      {"pointer", blamesPointer, blamesPointer, false},
      {"size", blamesSize, blamesSize, false},
      {"volatile", blamesVolatile, blamesVolatile, true, true},
  };
  static const std::vector<Predicate> Untyped = {
      {"char", blamesUntaggedChar, blamesUntaggedChar, false},
      {"pointer", blamesUntaggedPointer, blamesUntaggedPointer, false},
      {"size", blamesUntaggedSize, blamesUntaggedSize, false},
      {"volatile", blamesVolatile, blamesVolatile, true, true},
  };
  return StrictAliasing ? Typed : Untyped;
}

const Predicate *findPredicate(StringRef Name, bool StrictAliasing) {
  for (const Predicate &P : predicates(StrictAliasing))
    if (P.Name == Name)
      return &P;
  return nullptr;
}

} // namespace whyhot::ir
