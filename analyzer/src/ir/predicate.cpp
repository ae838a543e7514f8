#include "ir/predicate.h"

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

bool blamesChar(const Instruction &I) {
  auto *S = plainStore(I);
  return S && S->getValueOperand()->getType()->getScalarType()->isIntegerTy(8) && isCharTagged(I);
}

// clang gives a bit-field store no tag at all, so it clobbers everything. The
// value is the old word with some bits replaced: or(and(load, mask), new).
bool blamesBitfield(const Instruction &I) {
  auto *S = plainStore(I);
  if (!S || I.getMetadata(LLVMContext::MD_tbaa) || !S->getValueOperand()->getType()->isIntegerTy())
    return false;
  auto *Value = dyn_cast<BinaryOperator>(S->getValueOperand());
  if (!Value)
    return false;
  auto masksLoad = [](const llvm::Value *V) {
    auto *And = dyn_cast<BinaryOperator>(V);
    if (And && And->getOpcode() == Instruction::And)
      V = And->getOperand(0);
    else if (And)
      return false;
    return isa<LoadInst>(V);
  };
  switch (Value->getOpcode()) {
  case Instruction::Or:
    return masksLoad(Value->getOperand(0)) || masksLoad(Value->getOperand(1));
  case Instruction::And: // a flag that is cleared needs no or
    return isa<LoadInst>(Value->getOperand(0));
  default:
    return false;
  }
}

bool blamesPointer(const Instruction &I) {
  auto *S = plainStore(I);
  return S && S->getValueOperand()->getType()->isPointerTy() && accessNodeName(I) == "any pointer";
}

bool blamesSize(const Instruction &I) {
  auto *S = plainStore(I);
  if (!S || !S->getValueOperand()->getType()->isIntegerTy(64))
    return false;
  StringRef Name = accessNodeName(I);
  return Name == "long" || Name == "long long";
}

} // namespace

Type *accessType(const Instruction &I) {
  if (auto *S = dyn_cast<StoreInst>(&I))
    return S->getValueOperand()->getType();
  if (auto *L = dyn_cast<LoadInst>(&I))
    return L->getType();
  return nullptr;
}

bool isCharTagged(const Instruction &I) {
  return accessType(I) && nodeName(scalarAccessNode(I)) == "omnipotent char";
}

const std::vector<Predicate> &predicates() {
  static const std::vector<Predicate> All = {
      {"char", blamesChar, true},
      {"bitfield", blamesBitfield, true},
      {"pointer", blamesPointer, false},
      {"size", blamesSize, false},
  };
  return All;
}

const Predicate *findPredicate(StringRef Name) {
  for (const Predicate &P : predicates())
    if (P.Name == Name)
      return &P;
  return nullptr;
}

} // namespace whyhot::ir
