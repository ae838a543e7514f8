#include "ir/restrict.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>

using namespace llvm;

namespace whyhot::ir {
namespace {

std::vector<const Function *> calleesOf(const Function &F) {
  std::set<const Function *> Out;
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases());
          Callee && !Callee->isDeclaration())
        Out.insert(Callee);
  return {Out.begin(), Out.end()};
}

// Everything from which one of Targets can be reached against the direction of
// calls.
FunctionSet callersOf(const std::map<const Function *, std::vector<const Function *>> &Callees, FunctionSet Targets) {
  std::map<const Function *, std::vector<const Function *>> Callers;
  for (const auto &[F, List] : Callees)
    for (const Function *Callee : List)
      Callers[Callee].push_back(F);
  std::vector<const Function *> Work(Targets.begin(), Targets.end());
  while (!Work.empty()) {
    const Function *F = Work.back();
    Work.pop_back();
    for (const Function *Caller : Callers[F])
      if (Targets.insert(Caller).second)
        Work.push_back(Caller);
  }
  return Targets;
}

FunctionSet closure(FunctionSet Roots) {
  std::vector<const Function *> Work(Roots.begin(), Roots.end());
  while (!Work.empty()) {
    const Function *F = Work.back();
    Work.pop_back();
    for (const Function *Callee : calleesOf(*F))
      if (Roots.insert(Callee).second)
        Work.push_back(Callee);
  }
  return Roots;
}

bool hasCycle(const Function &F) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> BackEdges;
  FindFunctionBackedges(F, BackEdges);
  return !BackEdges.empty();
}

void keepAlive(Function &F) {
  if (F.hasLocalLinkage() || F.hasAvailableExternallyLinkage())
    F.setLinkage(GlobalValue::ExternalLinkage);
  else if (F.hasLinkOnceLinkage())
    F.setLinkage(F.hasLinkOnceODRLinkage() ? GlobalValue::WeakODRLinkage : GlobalValue::WeakAnyLinkage);
}

} // namespace

FunctionSet concerned(const Module &M, const std::vector<const Predicate *> &Ps) {
  std::map<const Function *, std::vector<const Function *>> Callees;
  FunctionSet Storing, Looping;
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    Callees[&F] = calleesOf(F);
    for (const Instruction &I : instructions(F))
      if (I.getMetadata(LLVMContext::MD_tbaa_struct) || any_of(Ps, [&](const Predicate *P) { return P->Blames(I); })) {
        Storing.insert(&F);
        break;
      }
    if (hasCycle(F))
      Looping.insert(&F);
  }
  const FunctionSet Stores = callersOf(Callees, std::move(Storing));
  FunctionSet Out;
  for (const Function *F : callersOf(Callees, std::move(Looping)))
    if (Stores.count(F))
      Out.insert(F);
  return Out;
}

FunctionSet named(const Module &M, const std::set<std::string> &Names) {
  FunctionSet Out;
  for (StringRef Name : Names)
    for (;;) {
      if (const Function *F = M.getFunction(Name); F && !F->isDeclaration()) {
        Out.insert(F);
        break;
      }
      const size_t Dot = Name.rfind('.');
      if (Dot == StringRef::npos || Dot == 0)
        break;
      Name = Name.take_front(Dot);
    }
  return Out;
}

std::unique_ptr<Module> cloneWith(const Module &M, const FunctionSet &Roots) {
  const FunctionSet Keep = closure(Roots);
  ValueToValueMapTy Map;
  auto Small = CloneModule(M, Map, [&](const GlobalValue *G) {
    if (auto *F = dyn_cast<Function>(G))
      return Keep.count(F) > 0;
    if (auto *A = dyn_cast<GlobalAlias>(G)) {
      auto *F = dyn_cast_or_null<Function>(A->getAliaseeObject());
      return F && Keep.count(F) > 0;
    }
    return isa<GlobalVariable>(G);
  });
  for (const Function *F : Keep) {
    auto &Copy = cast<Function>(*Map[F]);
    if (Roots.count(F))
      keepAlive(Copy);
    else if (Copy.hasLocalLinkage() && !F->hasOneUse() && Copy.hasOneUse())
      Copy.setLinkage(GlobalValue::LinkOnceODRLinkage); // the last call to a local function is inlined for free
  }
  return Small;
}

} // namespace whyhot::ir
