#include "ir/worlds.h"

#include "ir/blame.h"
#include "ir/edit.h"
#include "ir/library.h"
#include "ir/restrict.h"
#include "ir/verdict.h"
#include "ir/world.h"
#include "mca/loop_assembly.h"
#include "mca/throughput.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

using namespace llvm;

namespace whyhot::ir {
namespace {

using Names = std::set<std::string>;

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

Followed follow(const LoopFacts &X, const Predicate &P) {
  Followed F;
  F.C.Predicate = P.Name.str();
  F.C.Function = X.Function;
  F.C.Start = X.Start;
  F.C.Enclosing = X.Enclosing;
  F.C.MostIterations = X.MostIterations;
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
  F.StoreBytes = X.StoreBytesAt;
  for (const Instruction *I : X.Accesses)
    (isa<LoadInst>(I) ? F.LoadChains : F.StoreChains).push_back(chainOf(I->getDebugLoc().get()));
  return F;
}

// Stores on the branches of a loop may have become one, with no position of its
// own: then every blamed store that the source has in this loop is named.
void nameMergedWrites(Candidate &C, const LoopFacts &X, const Predicate &P, const Module &Unoptimised) {
  const auto Merged = [](const Access &W) { return !W.Where.empty() && W.Where[0].Line == 0; };
  const Loop::LocRange Range = X.L->getLocRange();
  const Function *F = Unoptimised.getFunction(X.Function);
  if (none_of(C.Writes, Merged) || !Range || X.Start.size() != 1 || !F)
    return;
  erase_if(C.Writes, Merged);
  for (const Instruction &I : instructions(*F)) {
    const DebugLoc &At = I.getDebugLoc();
    if (At && P.Blames(I) && At.getLine() >= Range.getStart().getLine() && At.getLine() <= Range.getEnd().getLine())
      addOnce(C.Writes, "write", I);
  }
}

bool isCandidate(const LoopFacts &X, const Predicate &P) {
  if (P.Qualifier)
    return !X.EndsOnVolatile && any_of(X.Accesses, [&](const Instruction *I) { return P.Blames(*I); });
  return X.blamedReloads() > 0;
}

// Instantiations of a template stand in one place.
std::string placeKey(const SourcePoint &P) {
  return P.File + ":" + std::to_string(P.Line) + ":" + std::to_string(P.Column);
}

bool namesFile(StringRef Full, StringRef Tail) {
  return Full.ends_with(Tail) &&
         (Full.size() == Tail.size() || Tail.starts_with("/") || Full[Full.size() - Tail.size() - 1] == '/');
}

bool touchesLine(const Loop &L, const LoopInfo &LI, const Options &O) {
  auto at = [&](const DILocation *D) {
    const auto Names = [&](const SourcePoint &P) { return P.Line == O.Line && namesFile(P.File, O.File); };
    for (; D; D = D->getInlinedAt())
      if (D->getLine() == O.Line) // few have it: only theirs is spelt out
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

// The passes of a world whose edit is made in simplified IR.
constexpr Stage Again[] = {Stage::SimplifyAgain, Stage::Reshape};

// A loop that is followed, and whether there is a verdict to find.
struct Looked {
  Followed F;
  bool Judged;
};

// Without what a pass added to the name of a function that it specialised.
StringRef sourceName(const Function &F) { return F.getName().split('.').first; }

// The analysis of one unit, step by step.
class Analysis {
public:
  Analysis(Module &M, TargetMachine &TM, const Options &O) : M(M), TM(TM), O(O) {
    for (const std::string &Name : O.Predicates)
      if (const Predicate *P = findPredicate(Name, O.StrictAliasing))
        Ps.push_back(P);
  }

  Result run() {
    if (O.Remarks)
      Out.SourceLoops = sourceLoops(M);
    for (const std::string &Name : O.Functions)
      if (const Function *F = M.getFunction(Name); F && !F->isDeclaration())
        Hot.insert(F->getSubprogram());
      else
        Out.Undefined.push_back(Name);
    if (!O.Remarks && !mayHold())
      return std::move(Out);
    if (any_of(Ps, [](const Predicate *P) { return P->Name == "bitfield" || P->Name == "char"; }))
      markBitfieldStores(M);
    simplify();
    find();
    Names Concerned;
    for (const auto &[P, List] : Found)
      Concerned.merge(functionsOf(List));
    if (!Concerned.empty() || O.Remarks)
      compare(Concerned);
    return std::move(Out);
  }

private:
  // Is there anything to find, before any pass?
  bool mayHold() const {
    if (!O.File.empty())
      return true;
    const FunctionSet Held = concerned(M, Ps);
    return any_of(Held, [&](const Function *F) { return O.Functions.empty() || is_contained(O.Functions, F->getName()); });
  }

  // Does the function, or one that was inlined here, have one of the names?
  bool wanted(const Function &F, const Loop &L) const {
    if (O.Functions.empty() || is_contained(O.Functions, sourceName(F)))
      return true;
    for (const DILocation *D = L.getStartLoc().get(); D; D = D->getInlinedAt())
      if (Hot.count(D->getScope()->getSubprogram()))
        return true;
    return false;
  }

  RemarkDetail detail() const {
    return O.Remarks || !O.File.empty() ? RemarkDetail::Everything : RemarkDetail::LoopFates;
  }

  void simplify() {
    Whole = cloneWhole(M);
    Pipeline Passes(TM);
    if (detail() == RemarkDetail::Everything)
      Early = runWithRemarks(Passes, *Whole, O.Level, Stage::Simplify, RemarkDetail::Everything);
    else
      Passes.run(*Whole, O.Level, Stage::Simplify);
    erase_if(Early, [&](const Remark &R) { return !Whole->getFunction(R.Function); });
  }

  // Candidates come from IR that is simplified but not yet reshaped: there a
  // loop is still one loop.
  void find() {
    Pipeline Analyses(TM);
    for (Function &F : *Whole) {
      if (F.isDeclaration())
        continue;
      const LoopInfo &LI = Analyses.loopInfo(F);
      const auto Wanted = [&](const Loop *L) { return wanted(F, *L); };
      const auto Asked = [&](const Loop *L) { return O.File.empty() ? Wanted(L) : touchesLine(*L, LI, O); };
      const auto Loops = LI.getLoopsInPreorder();
      const size_t Count = count_if(Loops, Asked);
      Out.Loops += Count;
      if (Count == 0)
        continue;
      for (const Predicate *P : Ps) {
        if (O.File.empty() && !Analyses.blames(F, *P))
          continue;
        for (const LoopFacts &X : Analyses.loops(F, *P))
          if (!Asked(X.L))
            continue;
          else if (isCandidate(X, *P) || O.EveryLoop || !O.File.empty())
            add(X, *P);
          else if (!X.Start.empty())
            Fine[{P, placeKey(X.Start.front())}].insert({X.Function, X.Start});
      }
    }
  }

  void add(const LoopFacts &X, const Predicate &P) {
    Followed F = follow(X, P);
    nameMergedWrites(F.C, X, P, M);
    Found[&P].push_back({std::move(F), isCandidate(X, P) || O.EveryLoop});
  }

  // The functions whose loops have to be compiled in the worlds of an edit.
  Names functionsOf(const std::vector<Looked> &List) const {
    Names Out;
    for (const Looked &L : List)
      if (!O.File.empty() || canBeConfirmed(L.F.C))
        Out.insert(L.F.C.Function);
    return Out;
  }

  World world(std::unique_ptr<Module> Edited, ArrayRef<Stage> Stages, const Predicate &P, const Names &Functions) {
    return optimise(std::move(Edited), TM, O.Level, Stages, P, Functions,
                    O.File.empty() ? RemarkDetail::LoopFates : RemarkDetail::Everything);
  }

  void compare(const Names &Concerned) {
    auto Part = extract(*Whole, named(*Whole, Concerned));
    const Predicate &Any = *Ps.front();
    World Written = optimise(std::move(Whole), TM, O.Level, Stage::Reshape, Any, Concerned, detail());
    if (O.Remarks) {
      Out.Remarks = Early;
      Out.Remarks.insert(Out.Remarks.end(), Written.Remarks.begin(), Written.Remarks.end());
    }
    for (auto &[P, List] : Found)
      enter("written", Written, List);
    if (!Concerned.empty()) {
      const World Placebo = world(cloneWhole(*Part), Again, Any, Concerned);
      for (auto &[P, List] : Found)
        enter("placebo", Placebo, List);
    }
    for (auto &[P, List] : Found)
      if (const Names Functions = functionsOf(List); !Functions.empty()) {
        hoist(*P, List, *Part, Functions);
        retype(*P, List, *Written.M, Functions);
      }
    for (auto &[P, List] : Found)
      for (Looked &L : List)
        finish(*P, L, *Written.M);
  }

  // The worlds without an edit are the same for every predicate.
  void hoist(const Predicate &P, std::vector<Looked> &List, const Module &Part, const Names &Functions) {
    if (P.Qualifier)
      return;
    auto Edited = extract(Part, named(Part, Functions));
    Pipeline Analyses(TM);
    if (hoistReloads(*Edited, Analyses, P, {}))
      enter("hoisted", world(std::move(Edited), Again, P, Functions), List);
  }

  void retype(const Predicate &P, std::vector<Looked> &List, const Module &Compiled, const Names &Functions) {
    if (!P.Retypable || (!P.Qualifier && !O.StrictAliasing))
      return;
    const auto Source = withInlined(M, Compiled, named(M, Functions));
    auto Edited = cloneWhole(*Source);
    if (!retypeStores(*Edited, P, {}))
      return;
    enter("retyped", world(std::move(Edited), Compile, P, Functions), List);
    for (Looked &L : List)
      judge(P, L.F.C);
    Names Reached;
    for (const Looked &L : List)
      if (is_contained(L.F.C.Reach, "retyped"))
        Reached.insert(L.F.C.Function);
    if (Reached.empty())
      return;
    // What the functions do on their own, without the rest of the unit, is no
    // effect of the edit.
    const World Control = world(withInlined(M, Compiled, named(M, Reached)), Compile, P, Reached);
    for (Looked &L : List) {
      Candidate &C = L.F.C;
      if (is_contained(C.Reach, "retyped") &&
          !effectOfRetyping(P, stateOf(Control, L.F), C).empty())
        C.Worlds.erase("retyped");
    }
  }

  void finish(const Predicate &P, Looked &L, const Module &Compiled) {
    Candidate &C = L.F.C;
    C.Confirmed = false;
    C.Reach.clear();
    C.Effect.clear();
    if (L.Judged)
      judge(P, C);
    if (O.Blame && is_contained(C.Reach, "retyped"))
      if (const FunctionSet Own = named(M, {C.Function}); !Own.empty())
        C.Groups = blame(*withInlined(M, Compiled, Own), TM, O.Level, P, L.F);
    if (!C.Start.empty())
      if (const auto It = Fine.find({&P, placeKey(C.Start.front())}); It != Fine.end())
        C.Fine.assign(It->second.begin(), It->second.end());
    Out.Candidates.push_back(std::move(C));
  }

  void enter(const std::string &Name, const World &W, std::vector<Looked> &List) const {
    for (Looked &L : List) {
      LoopState &S = L.F.C.Worlds[Name] = stateOf(W, L.F);
      if (!O.File.empty())
        S.Remarks = remarksOf(W, L.F);
    }
    if (O.Assembly || O.Cycles)
      addMachineCode(Name, W, List);
  }

  void addMachineCode(const std::string &Name, const World &W, std::vector<Looked> &List) const {
    std::set<mca::LoopName> Loops;
    Names Functions;
    for (Looked &L : List)
      if (const LoopState &S = L.F.C.Worlds[Name]; !S.Header.empty()) {
        Loops.insert({S.Function, S.Header});
        Functions.insert(S.Function);
      }
    if (Loops.empty())
      return;
    auto Copy = extract(*W.M, named(*W.M, Functions));
    const auto Code = mca::assemble(*Copy, TM, Loops);
    for (Looked &L : List) {
      LoopState &S = L.F.C.Worlds[Name];
      const auto It = Code.find({S.Function, S.Header});
      if (It == Code.end())
        continue;
      if (O.Assembly)
        S.Assembly = It->second.Nest;
      if (O.Cycles && S.Calls == 0)
        for (const auto &[CPU, N] : mca::cycles(It->second.Own, TM))
          S.Cycles[CPU] = N / S.Iterations;
    }
  }

  Module &M;
  TargetMachine &TM;
  const Options &O;
  std::vector<const Predicate *> Ps;
  std::set<const DISubprogram *> Hot;
  std::unique_ptr<Module> Whole;
  std::vector<Remark> Early; // of the first half
  std::map<const Predicate *, std::vector<Looked>> Found;
  // By where a loop stands in the source: the copies of it that are no candidates.
  // What the caller knows often takes the repeated loads away.
  std::map<std::pair<const Predicate *, std::string>, std::set<FineCopy>> Fine;
  Result Out;
};

} // namespace

Result analyse(Module &M, TargetMachine &TM, const Options &O) { return Analysis(M, TM, O).run(); }

} // namespace whyhot::ir
