#include "ir/loops.h"

#include "ir/bounds.h"
#include "ir/library.h"
#include "ir/punning.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace llvm;

namespace whyhot::ir {

std::string pathOf(const DIFile &F) {
  std::string Path = F.getFilename().str();
  if (!Path.empty() && Path[0] != '/' && !F.getDirectory().empty())
    Path = (F.getDirectory() + "/" + Path).str();
  return Path;
}

SourceChain chainOf(const DILocation *Loc) {
  SourceChain Chain;
  for (; Loc; Loc = Loc->getInlinedAt()) {
    StringRef Scope;
    if (auto *SP = Loc->getScope()->getSubprogram())
      Scope = SP->getLinkageName().empty() ? SP->getName() : SP->getLinkageName();
    const DIFile *File = Loc->getFile();
    Chain.push_back({File ? pathOf(*File) : std::string(), Loc->getLine(), Loc->getColumn(), Scope.str()});
  }
  return Chain;
}

SourceChain startOf(const Loop &L) {
  SourceChain Start = chainOf(L.getStartLoc().get());
  const MDNode *ID = L.getLoopID();
  const bool Known = ID && any_of(drop_begin(ID->operands()), [](const MDOperand &X) { return isa<DILocation>(X); });
  const auto isOf = [&](const Loop *Inner) { return startOf(*Inner) == Start; };
  return Known || none_of(L.getSubLoops(), isOf) ? Start : SourceChain();
}

std::string chainKey(const SourceChain &Chain) {
  std::string Key;
  for (const SourcePoint &P : Chain)
    Key += P.File + ":" + std::to_string(P.Line) + ":" + std::to_string(P.Column) + "@";
  return Key;
}

std::string leafKey(const SourceChain &Chain) { return Chain.empty() ? std::string() : chainKey({Chain[0]}); }

std::set<const LoadInst *> LoopFacts::blamed() const {
  std::set<const LoadInst *> Distinct;
  for (const Reload &R : Reloads)
    if (R.OnlyBlamed)
      Distinct.insert(R.Load);
  for (const LocalReload &R : Locals)
    Distinct.insert(R.Load);
  return Distinct;
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

struct Memory {
  std::vector<LoadInst *> Loads;      // simple loads of the loop's own blocks
  std::vector<Instruction *> Writers; // everything in the loop that may write
};

bool writesForReal(const Instruction &I) {
  if (auto *II = dyn_cast<IntrinsicInst>(&I))
    return !II->isAssumeLikeIntrinsic() && !II->isLifetimeStartOrEnd();
  return true;
}

// The vectoriser's masked accesses and gathers are calls in form only.
std::optional<bool> maskedAccess(const Instruction &I) {
  auto *II = dyn_cast<IntrinsicInst>(&I);
  switch (II ? II->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
  case Intrinsic::masked_expandload:
    return false;
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
  case Intrinsic::masked_compressstore:
    return true;
  default:
    return std::nullopt;
  }
}

void addLoad(LoopFacts &X, Memory &M, Instruction &I, bool Own) {
  auto *Load = dyn_cast<LoadInst>(&I);
  if (Load && !Load->isSimple())
    M.Writers.push_back(&I);
  if (!Own)
    return;
  X.Loads++;
  X.Accesses.push_back(&I);
  if (Load && Load->isSimple())
    M.Loads.push_back(Load);
}

void addStore(LoopFacts &X, Memory &M, Instruction &I, const Predicate &P, bool Own) {
  M.Writers.push_back(&I);
  if (!Own)
    return;
  X.Stores++;
  X.Accesses.push_back(&I);
  const uint64_t Bytes = maskedAccess(I)
                             ? I.getDataLayout().getTypeStoreSize(I.getOperand(0)->getType()).getKnownMinValue()
                             : bytesWritten(I);
  X.StoreBytes += Bytes;
  X.StoreBytesAt[leafKey(chainOf(I.getDebugLoc().get()))] += Bytes;
  X.BlamedStores += P.Blames(I);
}

Memory countAccesses(LoopFacts &X, const LoopInfo &LI, const Predicate &P) {
  Memory M;
  for (BasicBlock *BB : X.L->blocks()) {
    const bool Own = LI.getLoopFor(BB) == X.L;
    for (Instruction &I : *BB) {
      const std::optional<bool> MaskedStore = maskedAccess(I);
      if (isa<LoadInst>(I) || MaskedStore == false)
        addLoad(X, M, I, Own);
      else if (isa<StoreInst>(I) || MaskedStore == true || isMove(I))
        addStore(X, M, I, P, Own);
      else if (I.mayWriteToMemory() && writesForReal(I)) {
        X.Calls += Own;
        X.Fills += Own && isa<MemIntrinsic>(I);
        M.Writers.push_back(&I);
      }
    }
  }
  return M;
}

bool dependsOnVolatile(const Loop &L, const Value *V, unsigned Depth = 0) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || Depth > MaxConditionDepth || isa<PHINode>(I))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(I))
    return Load->isVolatile();
  return any_of(I->operands(), [&](const Use &Op) { return dependsOnVolatile(L, Op, Depth + 1); });
}

bool endsOnVolatile(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](BasicBlock *BB) {
    return any_of(BB->getTerminator()->operands(), [&](const Use &Op) { return dependsOnVolatile(L, Op); });
  });
}

// Blamed stores that share an object with something of another type that the
// loop reads: the program means to see those bytes change.
std::set<const Instruction *> punningStores(const Memory &M, BatchAAResults &AA, const Predicate &P) {
  std::set<const Instruction *> Out;
  for (const Instruction *W : M.Writers) {
    if (!P.Blames(*W))
      continue;
    for (const LoadInst *Load : M.Loads)
      if (Load->getMetadata(LLVMContext::MD_tbaa) && !isCharTagged(*Load) && accessType(*W) != Load->getType() &&
          isModSet(AA.getModRefInfo(W, MemoryLocation::get(Load))) && mayPun(*W, *Load)) {
        Out.insert(W);
        break;
      }
  }
  return Out;
}

// What moves bytes without a type reads them so too: a copy within one buffer, a
// hash of its input. Then the store may be meant to change what is loaded. A
// byte that is stored by its type is held against all loads, and a pointer, in a
// union say, is no part of what is copied: copies load integers.
bool bothUntyped(const Instruction &Store, const LoadInst &Load, const Predicate &P) {
  return !P.Retypes(Store) && !Load.getType()->isPointerTy() &&
         (!Load.getMetadata(LLVMContext::MD_tbaa) || isCharTagged(Load));
}

bool mayBeMeant(const Instruction &Store, const LoadInst &Load, const Predicate &P) {
  return bothUntyped(Store, Load, P) || mayPun(Store, Load);
}

// Is this a plain store to the cell that is loaded?
bool updates(const Instruction &Writer, const LoadInst &Load, BatchAAResults &AA) {
  auto *S = dyn_cast<StoreInst>(&Writer);
  return S && S->isSimple() && S->getValueOperand()->getType() == Load.getType() &&
         AA.alias(MemoryLocation::get(S), MemoryLocation::get(&Load)) == AliasResult::MustAlias;
}

// At most this part of a loop's iterations gets to a slow path: an error, a
// buffer that is full. It is what a cold attribute or an expectation makes of a
// branch, not what is assumed of one that nothing is known about.
constexpr double SlowPathShare = 0.1;

double shareOf(const BasicBlock *BB, const Loop &L, const BlockFrequencyInfo &BFI) {
  const double Once = std::max<double>(1, BFI.getBlockFreq(L.getHeader()).getFrequency());
  return double(BFI.getBlockFreq(BB).getFrequency()) / Once;
}

// Of the intrinsics, only copies of a length that the compiler does not know
// become calls.
bool isRealCall(const Instruction &I) {
  return isa<CallBase>(I) && (!isa<IntrinsicInst>(I) || (isa<MemIntrinsic>(I) && !isMove(I)));
}

bool isSlowCall(const Instruction &I, const Loop &L, const BlockFrequencyInfo &BFI) {
  return isRealCall(I) && shareOf(I.getParent(), L, BFI) <= SlowPathShare;
}

// Finds the loads whose address does not change in the loop, and the writers
// that keep each of them from moving out. A reload that only blamed stores
// cause counts as in a register for the addresses computed from it.
void findReloads(LoopFacts &X, const Memory &M, AAResults &AA, const BlockFrequencyInfo &BFI, const Predicate &P,
                 Library &Lib, std::set<const Instruction *> &Punning) {
  InvarianceWalk Invariant(*X.L);
  BatchAAResults Batch(AA);
  Punning.merge(punningStores(M, Batch, P));
  std::set<const LoadInst *> Done;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (LoadInst *Load : M.Loads) {
      if (Done.count(Load) || !Invariant.holds(Load->getPointerOperand()))
        continue;
      Done.insert(Load);
      Reload R{Load, {}, {}, {}, true};
      for (Instruction *W : M.Writers) {
        if (!isModSet(Batch.getModRefInfo(W, MemoryLocation::get(Load))))
          continue;
        if (updates(*W, *Load, Batch)) {
          R.Updates.push_back(W);
          continue;
        }
        if (!P.Blames(*W) && isSlowCall(*W, *X.L, BFI)) {
          R.SlowCalls.push_back(W);
          continue;
        }
        R.Clobbers.push_back(W);
        // A store to the very object that is read may change it for real.
        R.OnlyBlamed &= P.Blames(*W) && !Punning.count(W) && !mayBeMeant(*W, *Load, P);
      }
      X.Counts |= any_of(R.Updates, [&](const Instruction *U) { return shareOf(U->getParent(), *X.L, BFI) > 0.5; });
      const bool Clobbered = !R.Clobbers.empty();
      R.OnlyBlamed &= Clobbered;
      // What a library's object updates is its own state.
      R.Hoistable = !R.OnlyBlamed || !(Lib.isInsideWritingCall(*Load, M.Writers) ||
                                       any_of(R.Updates, [&](Instruction *U) { return Lib.holds(*U); }));
      if (R.Updates.empty() && (R.OnlyBlamed || !(Clobbered || !R.SlowCalls.empty()))) {
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
    if (!Clobber || !P.Blames(*Clobber) || mayBeMeant(*Clobber, *Load, P))
      continue;
    auto *Copy = dyn_cast<MemIntrinsic>(Clobber);
    const MemoryLocation Written = Copy ? MemoryLocation::getForDest(Copy) : MemoryLocation::get(Clobber);
    if (AA.alias(MemoryLocation::get(Load), Written) != AliasResult::MayAlias)
      continue;
    for (Instruction *First : ByAddress[Load->getPointerOperand()])
      if (First != Load && First != Clobber && accessType(*First) == Load->getType() && DT.dominates(First, Clobber) &&
          DT.dominates(Clobber, Load)) {
        Found.push_back({Load, First, Clobber});
        break;
      }
  }
  return Found;
}

double costOf(const Instruction &I, const TargetTransformInfo &TTI) {
  const InstructionCost Cost = TTI.getInstructionCost(&I, TargetTransformInfo::TCK_RecipThroughput);
  return Cost.isValid() ? double(*Cost.getValue()) : 0;
}

} // namespace

unsigned endLineOf(const Loop &L) {
  const Loop::LocRange Range = L.getLocRange();
  if (!Range || !Range.getEnd())
    return 0;
  const DILocation *Start = Range.getStart().get(), *End = Range.getEnd().get();
  const bool Together = Start->getFile() == End->getFile() && Start->getInlinedAt() == End->getInlinedAt();
  return Together && End->getLine() >= Start->getLine() ? End->getLine() : 0;
}

std::vector<LoopFacts> analyseLoops(Function &F, LoopInfo &LI, AAResults &AA, DominatorTree &DT, MemorySSA &MSSA,
                                    const BlockFrequencyInfo &BFI, const Predicate &P) {
  std::vector<LoopFacts> All;
  std::map<const Loop *, size_t> Index;
  std::map<const Loop *, Memory> Memories;
  std::set<const Instruction *> Punning;
  Library Lib(*F.getParent());
  for (Loop *L : LI.getLoopsInPreorder()) {
    LoopFacts X;
    X.L = L;
    X.Function = F.getName().str();
    X.Start = startOf(*L);
    X.EndLine = endLineOf(*L);
    for (const Loop *Around = L->getParentLoop(); Around; Around = Around->getParentLoop())
      X.Enclosing.push_back(startOf(*Around));
    X.Depth = L->getLoopDepth();
    X.Innermost = L->isInnermost();
    X.EndsOnVolatile = endsOnVolatile(*L);
    X.Carries = carries(*L);
    const Memory &M = Memories[L] = countAccesses(X, LI, P);
    findReloads(X, M, AA, BFI, P, Lib, Punning);
    Index[L] = All.size();
    All.push_back(std::move(X));
  }
  for (LocalReload &R : findLocalReloads(F, AA, DT, MSSA, P))
    if (const Loop *L = LI.getLoopFor(R.Load->getParent()); L && !Punning.count(R.Clobber)) {
      R.Hoistable = !Lib.isInsideWritingCall(*R.Load, Memories[L].Writers);
      All[Index[L]].Locals.push_back(R);
    }
  return All;
}

void weigh(std::vector<LoopFacts> &Loops, const LoopInfo &LI, ScalarEvolution &SE, const BlockFrequencyInfo &BFI,
           const TargetTransformInfo &TTI) {
  for (LoopFacts &X : Loops) {
    X.MostIterations = SE.getSmallConstantMaxTripCount(X.L);
    X.Capacity = capacity(*X.L, SE);
    X.Part = partOfFunction(*X.L);
    X.Pads = pads(*X.L, SE);
    X.Digits = digits(*X.L, SE);
    for (const LoadInst *Load : X.blamed())
      X.UsualReloads += shareOf(Load->getParent(), *X.L, BFI);
    const bool Vector = X.L->getHeader()->getName().starts_with("vector.");
    for (BasicBlock *BB : X.L->blocks()) {
      const double Share = shareOf(BB, *X.L, BFI);
      const bool Own = LI.getLoopFor(BB) == X.L;
      for (const Instruction &I : *BB) {
        if (Vector && Own)
          X.VectorCost += Share * costOf(I, TTI);
        const double Load = isa<LoadInst>(I) || maskedAccess(I) == false ? Share : 0;
        X.UsualLoads += Own ? Load : 0;
        X.UsualNestLoads += Load;
        X.UsualNestCalls += isRealCall(I) ? Share : 0;
      }
    }
  }
  // What counts the digits of a number here counts them there: if (defined) for (i = 0;
  // i < n; i++, x >>= 8) *p++ = x; else for (i = 0; i < n; i++) *p++ = 0xff;
  std::set<const Value *> Widths;
  for (const LoopFacts &X : Loops)
    if (X.Digits)
      Widths.merge(limits(*X.L));
  for (LoopFacts &X : Loops)
    X.Digits |= any_of(limits(*X.L), [&](const Value *V) { return Widths.count(V); });
}

} // namespace whyhot::ir
