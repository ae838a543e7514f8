#include "ir/survey.h"

#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace whyhot::ir {
namespace {

// The definitions of the unit that a user refers to, through constants and variables that
// the unit does not name.
class References {
public:
  References(const Module &Unit, std::set<std::string> &Out) : Unit(Unit), Out(Out) {}

  void of(const User &U) {
    for (const Use &Operand : U.operands())
      if (auto *C = dyn_cast_or_null<Constant>(Operand.get()))
        of(*C);
  }

  void of(const Constant &C) {
    if (auto *B = dyn_cast<BlockAddress>(&C)) {
      of(*B->getFunction());
      return;
    }
    auto *G = dyn_cast<GlobalValue>(&C);
    if (isa<ConstantData>(C) || !Seen.insert(&C).second)
      return;
    if (const GlobalValue *Named = G ? Unit.getNamedValue(G->getName()) : nullptr; Named && !G->hasPrivateLinkage()) {
      if (!Named->isDeclaration() && !G->isDeclaration()) // a body for inlining alone is gone by now
        Out.insert(G->getName().str());
    } else if (!isa_and_nonnull<Function>(G)) {
      of(static_cast<const User &>(C));
    }
  }

private:
  const Module &Unit;
  std::set<std::string> &Out;
  SmallPtrSet<const Constant *, 16> Seen;
};

// Instantiations of a template stand in one place.
std::string placeKey(const SourcePoint &P) {
  return P.File + ":" + std::to_string(P.Line) + ":" + std::to_string(P.Column);
}

} // namespace

void FineCopies::add(const std::string &Predicate, FineCopy Copy) {
  std::string Place = placeKey(Copy.Start.front());
  Copies[{Predicate, std::move(Place)}].insert(std::move(Copy));
}

void FineCopies::give(Candidate &C) const {
  C.Fine.clear();
  if (C.Start.empty())
    return;
  if (const auto It = Copies.find({C.Predicate, placeKey(C.Start.front())}); It != Copies.end())
    C.Fine.assign(It->second.begin(), It->second.end());
}

Survey survey(const Module &Unoptimised, const Module &Simplified) {
  Survey Out;
  const auto add = [&](const GlobalValue &G) {
    if (G.isDeclaration() || G.hasPrivateLinkage())
      return;
    const GlobalValue *Before = Unoptimised.getNamedValue(G.getName());
    if (!Before || Before->isDeclaration()) {
      Out.Separate &= !isa<Function>(G); // a part of a variable belongs to who uses it
      return;
    }
    if (isa<Function>(G) && !isa<Function>(*Before))
      Out.Separate = false; // it took the name of an alias of it
    References Of(Unoptimised, Out.Survivors[G.getName().str()].Refers);
    Of.of(static_cast<const User &>(G));
    if (auto *F = dyn_cast<Function>(&G))
      for (const Instruction &I : instructions(*F))
        Of.of(I);
  };
  for (const Function &F : Simplified)
    add(F);
  for (const GlobalVariable &V : Simplified.globals())
    add(V);
  for (const GlobalAlias &A : Simplified.aliases())
    add(A);
  for (const GlobalIFunc &I : Simplified.ifuncs())
    add(I);
  return Out;
}

} // namespace whyhot::ir
