#include "ir/restrict.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>

using namespace llvm;

namespace whyhot::ir {
namespace {

std::vector<const Function *> calleesOf(const Function &F, bool Declarations = false) {
  std::set<const Function *> Out;
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases());
          Callee && (Declarations || !Callee->isDeclaration()))
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

namespace {

// Maps the debug information of everything in M to itself.
class SharedDebugInfo {
public:
  SharedDebugInfo(const Module &M, ValueToValueMapTy &Map) : Map(Map) {
    for (const DICompileUnit *CU : M.debug_compile_units())
      share(CU);
    for (const Function &F : M) {
      scopes(F.getSubprogram());
      for (const Instruction &I : instructions(F))
        positions(I.getDebugLoc().get());
    }
  }

private:
  bool share(const MDNode *N) {
    TrackingMDRef &To = Map.MD()[N];
    if (To)
      return false;
    To.reset(const_cast<MDNode *>(N));
    return true;
  }

  void scopes(const DILocalScope *S) {
    while (S && share(S))
      S = dyn_cast_or_null<DILocalScope>(S->getScope());
  }

  void positions(const DILocation *D) {
    for (; D && share(D); D = D->getInlinedAt())
      scopes(D->getScope());
  }

  ValueToValueMapTy &Map;
};

// The functions that Root has calls of no more once it is simplified: they
// were inlined into it, or into what was inlined.
void addInlined(const Module &Simplified, const Function &Root, FunctionSet &Keep) {
  std::set<StringRef> Called;
  if (const Function *After = Simplified.getFunction(Root.getName()))
    for (const Function *F : calleesOf(*After, /*Declarations=*/true))
      Called.insert(F->getName());
  std::set<const DISubprogram *> Inlined;
  if (const Function *After = Simplified.getFunction(Root.getName()))
    for (const Instruction &I : instructions(*After))
      for (const DILocation *D = I.getDebugLoc().get(); D && D->getInlinedAt(); D = D->getInlinedAt())
        Inlined.insert(D->getScope()->getSubprogram());
  FunctionSet Seen = {&Root};
  std::vector<const Function *> Work = {&Root};
  while (!Work.empty()) {
    const Function *F = Work.back();
    Work.pop_back();
    Keep.insert(F);
    for (const Function *Callee : calleesOf(*F))
      if ((!Called.count(Callee->getName()) || Inlined.count(Callee->getSubprogram())) && Seen.insert(Callee).second)
        Work.push_back(Callee);
  }
}

} // namespace

std::unique_ptr<Module> cloneWhole(const Module &M) {
  ValueToValueMapTy Map;
  const SharedDebugInfo Shared(M, Map);
  return CloneModule(M, Map);
}

namespace {

std::unique_ptr<Module> cloneBodies(const Module &M, const FunctionSet &Keep, ValueToValueMapTy &Map) {
  const SharedDebugInfo Shared(M, Map);
  return CloneModule(M, Map, [&](const GlobalValue *G) {
    if (auto *F = dyn_cast<Function>(G))
      return Keep.count(F) > 0;
    if (auto *A = dyn_cast<GlobalAlias>(G)) {
      auto *F = dyn_cast_or_null<Function>(A->getAliaseeObject());
      return F && Keep.count(F) > 0;
    }
    auto *V = dyn_cast<GlobalVariable>(G);
    return V && (V->isConstant() || !V->hasLocalLinkage());
  });
}

} // namespace

std::unique_ptr<Module> extract(const Module &M, const FunctionSet &Roots) {
  ValueToValueMapTy Map;
  auto Small = cloneBodies(M, Roots, Map);
  for (const Function *F : Roots)
    keepAlive(cast<Function>(*Map[F]));
  return Small;
}

std::unique_ptr<Module> only(const Module &M, const std::set<const GlobalValue *> &Keep) {
  ValueToValueMapTy Map;
  const SharedDebugInfo Shared(M, Map);
  auto Small = CloneModule(M, Map, [&](const GlobalValue *G) {
    auto *V = dyn_cast<GlobalVariable>(G);
    return Keep.count(G) > 0 || (V && V->hasPrivateLinkage() && V->isConstant());
  });
  // Lists of the module, such as of what runs at its start, have no declaration.
  for (GlobalVariable &V : make_early_inc_range(Small->globals()))
    if (V.isDeclaration() && V.getName().starts_with("llvm.") && V.use_empty())
      V.eraseFromParent();
  return Small;
}

std::unique_ptr<Module> withInlined(const Module &M, const Module &Simplified, const FunctionSet &Roots) {
  FunctionSet Keep;
  for (const Function *F : Roots)
    addInlined(Simplified, *F, Keep);
  ValueToValueMapTy Map;
  auto Small = cloneBodies(M, Keep, Map);
  for (const Function *F : Keep) {
    auto &Copy = cast<Function>(*Map[F]);
    if (Roots.count(F))
      keepAlive(Copy);
    else if (Copy.hasLocalLinkage() && !F->hasOneUse() && Copy.hasOneUse())
      Copy.setLinkage(GlobalValue::LinkOnceODRLinkage); // the last call to a local function is inlined for free
  }
  for (Function &F : *Small)
    if (const Function *After = Simplified.getFunction(F.getName());
        After && F.isDeclaration() && After->getFunctionType() == F.getFunctionType())
      F.setAttributes(After->getAttributes());
  return Small;
}

} // namespace whyhot::ir
