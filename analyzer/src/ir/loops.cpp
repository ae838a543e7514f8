#include "ir/loops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <map>
#include <set>

using namespace llvm;

namespace whyhot::ir {

SourceChain chainOf(const DILocation *Loc) {
  SourceChain Chain;
  for (; Loc; Loc = Loc->getInlinedAt()) {
    StringRef Scope;
    if (auto *SP = Loc->getScope()->getSubprogram())
      Scope = SP->getLinkageName().empty() ? SP->getName() : SP->getLinkageName();
    std::string File = Loc->getFilename().str();
    if (!File.empty() && File[0] != '/' && !Loc->getDirectory().empty())
      File = (Loc->getDirectory() + "/" + File).str();
    Chain.push_back({std::move(File), Loc->getLine(), Loc->getColumn(), Scope.str()});
  }
  return Chain;
}

std::string chainKey(const SourceChain &Chain) {
  std::string Key;
  for (const SourcePoint &P : Chain)
    Key += P.File + ":" + std::to_string(P.Line) + ":" + std::to_string(P.Column) + "@";
  return Key;
}

unsigned LoopFacts::blamedReloads() const {
  return std::count_if(Reloads.begin(), Reloads.end(), [](const Reload &R) { return R.OnlyBlamed; });
}

namespace {

// How deep an address computation is followed; real ones are two or three.
constexpr unsigned MaxAddressDepth = 6;

class InvarianceWalk {
public:
  InvarianceWalk(const Loop &L) : L(L) {}

  bool holds(const Value *V, unsigned Depth = 0) const {
    if (L.isLoopInvariant(V) || InRegister.count(V))
      return true;
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth > MaxAddressDepth || isa<PHINode>(I) || I->mayReadOrWriteMemory())
      return false;
    return all_of(I->operands(), [&](const Use &Op) { return holds(Op, Depth + 1); });
  }

  // Loads that would be in a register once their own reload is gone.
  std::set<const Value *> InRegister;

private:
  const Loop &L;
};

bool sameObject(const Instruction &Store, const LoadInst &Load) {
  return getUnderlyingObject(getLoadStorePointerOperand(&Store)) ==
         getUnderlyingObject(Load.getPointerOperand());
}

struct Memory {
  std::vector<LoadInst *> Loads;      // simple loads of the loop's own blocks
  std::vector<Instruction *> Writers; // everything in the loop that may write
};

bool writesForReal(const Instruction &I) {
  if (auto *II = dyn_cast<IntrinsicInst>(&I))
    return !II->isAssumeLikeIntrinsic() && !II->isLifetimeStartOrEnd();
  return true;
}

Memory countAccesses(LoopFacts &X, const LoopInfo &LI, const Predicate &P) {
  Memory M;
  const DataLayout &DL = X.L->getHeader()->getDataLayout();
  for (BasicBlock *BB : X.L->blocks()) {
    const bool Own = LI.getLoopFor(BB) == X.L;
    for (Instruction &I : *BB) {
      if (auto *Load = dyn_cast<LoadInst>(&I)) {
        if (Own) {
          X.Loads++;
          if (Load->isSimple())
            M.Loads.push_back(Load);
        }
        if (!Load->isSimple())
          M.Writers.push_back(&I);
      } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
        if (Own) {
          X.Stores++;
          X.StoreBytes += DL.getTypeStoreSize(Store->getValueOperand()->getType()).getKnownMinValue();
          X.BlamedStores += P.Blames(I);
        }
        M.Writers.push_back(&I);
      } else if (I.mayWriteToMemory() && writesForReal(I)) {
        X.Calls += Own;
        M.Writers.push_back(&I);
      }
    }
  }
  return M;
}

// Finds the loads whose address does not change in the loop, and the writers
// that keep each of them from moving out. A reload that only blamed stores
// cause counts as in a register for the addresses computed from it.
void findReloads(LoopFacts &X, const Memory &M, AAResults &AA, const Predicate &P) {
  InvarianceWalk Invariant(*X.L);
  BatchAAResults Batch(AA);
  std::set<const LoadInst *> Done;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (LoadInst *Load : M.Loads) {
      if (Done.count(Load) || !Invariant.holds(Load->getPointerOperand()))
        continue;
      Done.insert(Load);
      Reload R{Load, {}, true};
      for (Instruction *W : M.Writers) {
        if (!isModSet(Batch.getModRefInfo(W, MemoryLocation::get(Load))))
          continue;
        R.Clobbers.push_back(W);
        // A store derived from the very pointer that is read through may
        // change it for real: type punning is no false sharing of types.
        R.OnlyBlamed &= P.Blames(*W) && !sameObject(*W, *Load);
      }
      const bool Clobbered = !R.Clobbers.empty();
      R.OnlyBlamed &= Clobbered;
      if (R.OnlyBlamed || !Clobbered) {
        Invariant.InRegister.insert(Load);
        Changed = true;
      }
      if (Clobbered)
        X.Reloads.push_back(std::move(R));
    }
  }
}

std::vector<LocalReload> findLocalReloads(Function &F, AAResults &AA, DominatorTree &DT, MemorySSA &MSSA,
                                          const Predicate &P) {
  std::map<const Value *, std::vector<Instruction *>> ByAddress;
  for (Instruction &I : instructions(F))
    if (const Value *Address = getLoadStorePointerOperand(&I))
      ByAddress[Address].push_back(&I);

  std::vector<LocalReload> Found;
  MemorySSAWalker *Walker = MSSA.getWalker();
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->isSimple())
      continue;
    auto *Def = dyn_cast<MemoryDef>(Walker->getClobberingMemoryAccess(Load));
    Instruction *Clobber = Def ? Def->getMemoryInst() : nullptr;
    if (!Clobber || !P.Blames(*Clobber) || sameObject(*Clobber, *Load))
      continue;
    if (AA.alias(MemoryLocation::get(Load), MemoryLocation::get(Clobber)) != AliasResult::MayAlias)
      continue;
    for (Instruction *First : ByAddress[Load->getPointerOperand()])
      if (First != Load && First != Clobber && accessType(*First) == Load->getType() &&
          DT.dominates(First, Clobber) && DT.dominates(Clobber, Load)) {
        Found.push_back({Load, First, Clobber});
        break;
      }
  }
  return Found;
}

} // namespace

std::vector<LoopFacts> analyseLoops(Function &F, LoopInfo &LI, AAResults &AA, DominatorTree &DT,
                                    MemorySSA &MSSA, const Predicate &P) {
  std::vector<LoopFacts> All;
  std::map<const Loop *, size_t> Index;
  for (Loop *L : LI.getLoopsInPreorder()) {
    LoopFacts X;
    X.L = L;
    X.Function = F.getName().str();
    X.Start = chainOf(L->getStartLoc().get());
    X.Depth = L->getLoopDepth();
    X.Innermost = L->isInnermost();
    const Memory M = countAccesses(X, LI, P);
    findReloads(X, M, AA, P);
    Index[L] = All.size();
    All.push_back(std::move(X));
  }
  for (const LocalReload &R : findLocalReloads(F, AA, DT, MSSA, P))
    if (const Loop *L = LI.getLoopFor(R.Load->getParent()))
      All[Index[L]].Locals.push_back(R);
  return All;
}

} // namespace whyhot::ir
