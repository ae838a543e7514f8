#include "ir/worlds.h"

#include "ir/blame.h"
#include "ir/edit.h"
#include "ir/library.h"
#include "ir/restrict.h"
#include "ir/verdict.h"
#include "ir/world.h"
#include "mca/loop_assembly.h"
#include "mca/throughput.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

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

bool touchesLine(const LoopFacts &X, const LoopInfo &LI, const Options &O) {
  auto at = [&](const SourceChain &Chain) {
    return any_of(Chain, [&](const SourcePoint &P) { return P.Line == O.Line && namesFile(P.File, O.File); });
  };
  if (at(X.Start))
    return true;
  for (const BasicBlock *BB : X.L->blocks())
    if (LI.getLoopFor(BB) == X.L)
      for (const Instruction &I : *BB)
        if (at(chainOf(I.getDebugLoc().get())))
          return true;
  return false;
}

// The analysis of one unit, step by step.
class Analysis {
public:
  Analysis(const Module &M, TargetMachine &TM, const Options &O) : M(M), TM(TM), O(O) {
    for (const std::string &Name : O.Predicates)
      if (const Predicate *P = findPredicate(Name, O.StrictAliasing))
        Ps.push_back(P);
  }

  Result run() {
    if (O.Remarks) // no loops are looked at: there is no function without a name
      Out.Remarks = optimise(CloneModule(M), TM, O.Level, *Ps.front(), {""}, RemarkDetail::Everything).Remarks;
    if (O.Remarks)
      Out.SourceLoops = sourceLoops(M);
    for (const std::string &Name : O.Functions)
      if (const Function *F = M.getFunction(Name); !F || F->isDeclaration())
        Out.Undefined.push_back(Name);
    FunctionSet Roots = O.File.empty() ? concerned(M, Ps) : FunctionSet();
    const bool Everything = !O.File.empty();
    if (!O.Functions.empty())
      Roots = named(M, Names(O.Functions.begin(), O.Functions.end()));
    if (Roots.empty() && !(Everything && O.Functions.empty()))
      return std::move(Out);
    Simplified = Roots.empty() ? CloneModule(M) : cloneWith(M, Roots);
    mark(*Simplified);
    Pipeline(TM, false).run(*Simplified, O.Level);
    find();
    Names Concerned;
    for (const auto &[P, List] : Found)
      for (const Followed &F : List)
        Concerned.insert(F.C.Function);
    if (!Concerned.empty())
      compare(Concerned);
    return std::move(Out);
  }

private:
  bool wanted(const Function &F) const {
    return !F.isDeclaration() && (O.Functions.empty() || is_contained(O.Functions, F.getName()));
  }

  void mark(Module &Fresh) const {
    if (any_of(Ps, [](const Predicate *P) { return P->Name == "bitfield" || P->Name == "char"; }))
      markBitfieldStores(Fresh);
  }

  // Candidates come from IR that is simplified but not yet reshaped: there a
  // loop is still one loop.
  void find() {
    Pipeline Analyses(TM);
    for (Function &F : *Simplified) {
      if (!wanted(F))
        continue;
      Out.Loops += Analyses.loopInfo(F).getLoopsInPreorder().size();
      for (const Predicate *P : Ps) {
        if (O.File.empty() && !Analyses.blames(F, *P))
          continue;
        for (const LoopFacts &X : Analyses.loops(F, *P))
          if (O.File.empty() ? O.EveryLoop || isCandidate(X, *P) : touchesLine(X, Analyses.loopInfo(F), O))
            add(X, *P);
          else if (O.File.empty() && !X.Start.empty())
            Fine[{P, placeKey(X.Start.front())}].insert(X.Function);
      }
    }
  }

  void add(const LoopFacts &X, const Predicate &P) {
    Followed F = follow(X, P);
    nameMergedWrites(F.C, X, P, M);
    Found[&P].push_back(std::move(F));
  }

  World world(std::unique_ptr<Module> Edited, const Predicate &P, const Names &Functions) {
    const auto Detail = O.File.empty() ? RemarkDetail::LoopFates : RemarkDetail::Everything;
    return optimise(std::move(Edited), TM, O.Level, P, Functions, Detail);
  }

  // The worlds without an edit are the same for every predicate.
  void compare(const Names &Concerned) {
    auto Small = cloneWith(M, named(M, Concerned));
    mark(*Small);
    auto SmallSimplified = cloneWith(*Simplified, named(*Simplified, Concerned));
    Simplified.reset();
    const Predicate &Any = *Ps.front();
    World Written = world(CloneModule(*Small), Any, Concerned);
    World Placebo = world(CloneModule(*SmallSimplified), Any, Concerned);
    for (auto &[P, List] : Found) {
      std::map<std::string, World> Edited;
      if (P->Retypable && (P->Qualifier || O.StrictAliasing))
        if (auto Retyped = CloneModule(*Small); retypeStores(*Retyped, *P, {}))
          Edited["retyped"] = world(std::move(Retyped), *P, Concerned);
      if (!P->Qualifier) {
        auto Hoisted = CloneModule(*SmallSimplified);
        Pipeline Analyses(TM);
        if (hoistReloads(*Hoisted, Analyses, *P, {}))
          Edited["hoisted"] = world(std::move(Hoisted), *P, Concerned);
      }
      for (Followed &F : List) {
        enter(F, "written", Written);
        enter(F, "placebo", Placebo);
        for (const auto &[Name, W] : Edited)
          enter(F, Name, W);
        judge(*P, F.C);
      }
      if (O.Assembly || O.Cycles) {
        addMachineCode("written", Written, List);
        addMachineCode("placebo", Placebo, List);
        for (const auto &[Name, W] : Edited)
          addMachineCode(Name, W, List);
      }
      for (Followed &F : List) {
        if (O.Blame && is_contained(F.C.Reach, "retyped"))
          F.C.Groups = blame(M, TM, O.Level, *P, F);
        if (!F.C.Start.empty())
          if (const auto It = Fine.find({P, placeKey(F.C.Start.front())}); It != Fine.end())
            F.C.Fine.assign(It->second.begin(), It->second.end());
        Out.Candidates.push_back(std::move(F.C));
      }
    }
  }

  void enter(Followed &F, const std::string &Name, const World &W) const {
    LoopState &S = F.C.Worlds[Name] = stateOf(W, F);
    if (!O.File.empty())
      S.Remarks = remarksOf(W, F);
  }

  void addMachineCode(const std::string &Name, const World &W, std::vector<Followed> &List) const {
    std::set<mca::LoopName> Loops;
    for (Followed &F : List)
      if (const LoopState &S = F.C.Worlds[Name]; !S.Header.empty())
        Loops.insert({S.Function, S.Header});
    if (Loops.empty())
      return;
    auto Copy = CloneModule(*W.M);
    const auto Code = mca::assemble(*Copy, TM, Loops);
    for (Followed &F : List) {
      LoopState &S = F.C.Worlds[Name];
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

  const Module &M;
  TargetMachine &TM;
  const Options &O;
  std::vector<const Predicate *> Ps;
  std::unique_ptr<Module> Simplified;
  std::map<const Predicate *, std::vector<Followed>> Found;
  // By where a loop stands in the source: the functions with a copy of it that
  // is no candidate. What the caller knows often takes the repeated loads away.
  std::map<std::pair<const Predicate *, std::string>, Names> Fine;
  Result Out;
};

} // namespace

Result analyse(const Module &M, TargetMachine &TM, const Options &O) { return Analysis(M, TM, O).run(); }

} // namespace whyhot::ir
