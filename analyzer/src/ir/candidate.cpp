#include "ir/candidate.h"

#include "ir/library.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

using namespace llvm;

namespace whyhot::ir {
namespace {

// LLVM's name of the type that is moved, or which copy it is.
std::string typeName(const Instruction &I) {
  if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
    return "";
  if (isa<MemSetInst>(I))
    return "memset";
  if (isa<MemIntrinsic>(I))
    return isa<MemMoveInst>(I) ? "memmove" : "memcpy";
  std::string S;
  raw_string_ostream(S) << *accessType(I);
  return S;
}

void addOnce(std::vector<Access> &List, StringRef Kind, const Instruction &I) {
  Access A{Kind.str(), chainOf(I.getDebugLoc().get()), typeName(I)};
  if (none_of(List, [&](const Access &B) { return B.Kind == A.Kind && B.Where == A.Where; }))
    List.push_back(std::move(A));
}

void describeReloads(Candidate &C, const LoopFacts &X, const Predicate &P) {
  Library Lib(*X.L->getHeader()->getModule());
  auto addWrite = [&](const Instruction &W) {
    addOnce(C.Writes, "write", W);
    C.Retypable |= P.Retypes(W) && !Lib.holds(W);
  };
  for (const Reload &R : X.Reloads) {
    if (!R.OnlyBlamed)
      continue;
    addOnce(C.Loads, "load", *R.Load);
    for (const Instruction *W : R.Clobbers)
      addWrite(*W);
    for (const Instruction *Call : R.SlowCalls)
      addOnce(C.Calls, "call", *Call);
  }
  for (const LocalReload &R : X.Locals) {
    addOnce(C.Loads, "first", *R.First);
    addOnce(C.Loads, "load", *R.Load);
    addWrite(*R.Clobber);
  }
}

void describeQualified(Candidate &C, const LoopFacts &X, const Predicate &P) {
  for (const Instruction *I : X.Accesses)
    if (P.Blames(*I))
      addOnce(isa<LoadInst>(I) ? C.Loads : C.Writes, isa<LoadInst>(I) ? "load" : "write", *I);
}

std::set<std::string> sitesOf(const std::vector<Instruction *> &Stores) {
  std::set<std::string> Out;
  for (const Instruction *S : Stores)
    Out.insert(leafKey(chainOf(S->getDebugLoc().get())));
  return Out;
}

// The function in whose text a place is: of a loop that was inlined not the one that it
// is in now. Functions of line tables alone have no linkage name where they are local.
const Function *writtenIn(const DebugLoc &At, const Module &M) {
  const DISubprogram *S = At->getScope()->getSubprogram();
  const auto It = find_if(M, [S](const Function &F) {
    const DISubprogram *Of = F.isDeclaration() ? nullptr : F.getSubprogram();
    return Of && (Of == S || (Of->getName() == S->getName() && Of->getLinkageName() == S->getLinkageName() &&
                              Of->getLine() == S->getLine() && Of->getFilename() == S->getFilename()));
  });
  return It == M.end() ? nullptr : &*It;
}

bool namesFile(StringRef Full, StringRef Tail) {
  return Full.ends_with(Tail) &&
         (Full.size() == Tail.size() || Tail.starts_with("/") || Full[Full.size() - Tail.size() - 1] == '/');
}

} // namespace

Followed follow(const LoopFacts &X, const Predicate &P) {
  Followed F;
  F.C.Predicate = P.Name.str();
  F.C.Function = X.Function;
  F.C.Start = X.Start;
  F.C.Enclosing = X.Enclosing;
  F.C.MostIterations = X.MostIterations;
  F.C.Carries = X.Carries;
  F.C.Capacity = X.Capacity;
  F.C.Part = X.Part;
  F.C.Pads = X.Pads;
  F.C.Digits = X.Digits;
  F.C.Counts = X.Counts;
  F.C.EndLine = X.EndLine;
  F.C.UsualReloads = X.UsualReloads;
  F.C.UsualNestLoads = X.UsualNestLoads;
  F.C.UsualNestCalls = X.UsualNestCalls;
  F.C.Depth = X.Depth;
  F.C.Innermost = X.Innermost;
  F.C.Retypable = P.Qualifier;
  if (P.Qualifier)
    describeQualified(F.C, X, P);
  else
    describeReloads(F.C, X, P);
  for (const Reload &R : X.Reloads)
    if (R.OnlyBlamed)
      F.Clobbers.push_back(sitesOf(R.Clobbers));
  for (const LocalReload &R : X.Locals)
    F.Clobbers.push_back(sitesOf({R.Clobber}));
  F.StoreBytes = X.StoreBytesAt;
  for (const Instruction *I : X.Accesses)
    (isa<LoadInst>(I) ? F.LoadChains : F.StoreChains).push_back(chainOf(I->getDebugLoc().get()));
  return F;
}

bool nameMergedWrites(Candidate &C, const LoopFacts &X, const Predicate &P, const Module &Unoptimised) {
  const auto Merged = [](const Access &W) { return !W.Where.empty() && W.Where[0].Line == 0; };
  const Loop::LocRange Range = X.L->getLocRange();
  if (none_of(C.Writes, Merged) || !Range || X.Start.empty())
    return false;
  const Function *F = writtenIn(Range.getStart(), Unoptimised);
  if (!F)
    return false;
  erase_if(C.Writes, Merged);
  for (const Instruction &I : instructions(*F)) {
    const DebugLoc &At = I.getDebugLoc();
    if (!At || !P.Blames(I) || At.getLine() < Range.getStart().getLine() || At.getLine() > Range.getEnd().getLine())
      continue;
    Access W{"write", chainOf(At.get()), typeName(I)};
    W.Where.insert(W.Where.end(), X.Start.begin() + 1, X.Start.end());
    if (none_of(C.Writes, [&](const Access &O) { return O.Where == W.Where; }))
      C.Writes.push_back(std::move(W));
  }
  return true;
}

bool touchesLine(const Loop &L, const LoopInfo &LI, StringRef File, unsigned Line) {
  auto at = [&](const DILocation *D) {
    const auto Names = [&](const SourcePoint &P) { return P.Line == Line && namesFile(P.File, File); };
    for (; D; D = D->getInlinedAt())
      if (D->getLine() == Line) // few have it: only theirs is spelt out
        return any_of(chainOf(D), Names);
    return false;
  };
  if (at(L.getStartLoc().get()))
    return true;
  for (const BasicBlock *BB : L.blocks())
    if (LI.getLoopFor(BB) == &L)
      for (const Instruction &I : *BB)
        if (at(I.getDebugLoc().get()))
          return true;
  return false;
}

bool isCandidate(const LoopFacts &X, const Predicate &P) {
  if (P.Qualifier)
    return !X.EndsOnVolatile && any_of(X.Accesses, [&](const Instruction *I) { return P.Blames(*I); });
  return X.blamedReloads() > 0;
}

} // namespace whyhot::ir
