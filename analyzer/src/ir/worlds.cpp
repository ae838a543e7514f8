#include "ir/worlds.h"

#include "ir/blame.h"
#include "ir/candidate.h"
#include "ir/edit.h"
#include "ir/restrict.h"
#include "ir/verdict.h"
#include "ir/world.h"
#include "mca/loop_assembly.h"
#include "mca/throughput.h"

#include "llvm/IR/DebugInfoMetadata.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace llvm;

namespace whyhot::ir {
namespace {

using Names = std::set<std::string>;

// The passes of a world whose edit is made in simplified IR.
constexpr Stage Again[] = {Stage::SimplifyAgain, Stage::Reshape};

// A loop that is followed.
struct Looked {
  Followed F;
  bool Judged;             // there is a verdict to find
  bool Merged;             // its writes are named from the source
  bool Copies;             // a loop of stores, or several, may have become a copy or a fill
  bool FromSource = false; // its retyped world is made of the source
};

// Is the state of an edited world better than that of another, by what a change of
// type is judged by?
bool better(const Predicate &P, const LoopState &Edited, const LoopState &Than) {
  Candidate Alone;
  Alone.Worlds["written"] = Than;
  return !effectOfRetyping(P, Edited, Alone).empty();
}

// Without what a pass added to the name of a function that it specialised.
StringRef sourceName(const Function &F) { return F.getName().split('.').first; }

// The analysis of one unit, step by step.
class Analysis {
public:
  Analysis(Module &M, TargetMachine &TM, const Options &O, Survey *Said)
      : M(M), TM(TM), O(O), Said(Said), Ps(predicatesOf(O)) {}

  Result run() {
    if (O.Remarks)
      Out.SourceLoops = sourceLoops(M);
    for (const std::string &Name : O.Functions)
      if (const Function *F = M.getFunction(Name); F && !F->isDeclaration())
        Hot.insert(F->getSubprogram());
      else
        Out.Undefined.push_back(Name);
    if (!O.Remarks && !Said && !mayHold(M, O))
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
    if (Said)
      *Said = survey(M, *Whole);
  }

  // Of a loop with loops inside, unswitching makes a copy for the case in which these
  // never run. It stands for no work: the other copy is the loop.
  //
  // Example. for (x...) { for (k = 0; k < n; k++) t &= s[k]; if (t) d[x] = 0; } has a
  // copy for n <= 0, which only stores.
  template <typename Range> static std::set<SourceChain> startsOfNests(const Range &Loops) {
    std::set<SourceChain> Out;
    for (const Loop *L : Loops)
      if (SourceChain Start = startOf(*L); !L->isInnermost() && !Start.empty())
        Out.insert(std::move(Start));
    return Out;
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
      const auto Loops = LI.getLoopsInPreorder();
      const std::set<SourceChain> Nests = startsOfNests(Loops);
      const auto Asked = [&](const Loop *L) {
        if (L->isInnermost() && Nests.count(startOf(*L)))
          return false;
        return O.File.empty() ? Wanted(L) : touchesLine(*L, LI, O.File, O.Line);
      };
      const size_t Count = count_if(Loops, Asked);
      Out.Loops += Count;
      if (Said)
        Said->Survivors[F.getName().str()].Loops = Count;
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
            addFine(P->Name.str(), {X.Function, X.Start});
      }
    }
  }

  void addFine(const std::string &Predicate, FineCopy Copy) {
    if (Said)
      Said->Survivors[Copy.Function].Fine.emplace_back(Predicate, Copy);
    Fine.add(Predicate, std::move(Copy));
  }

  void add(const LoopFacts &X, const Predicate &P) {
    Followed F = follow(X, P);
    const bool Merged = nameMergedWrites(F.C, X, P, M);
    const bool Copies =
        F.C.Retypable && any_of(X.Reloads, [](const Reload &R) {
          return R.OnlyBlamed && any_of(R.Clobbers, [](const Instruction *W) { return isa<MemIntrinsic>(W); });
        });
    Found[&P].push_back({std::move(F), isCandidate(X, P) || O.EveryLoop, Merged, Copies});
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
    for (auto &[P, List] : Found) {
      enter("written", Written, List);
      if (const Names Functions = functionsOf(List); !Functions.empty()) {
        hoist(*P, List, *Part, Functions);
        retype(*P, List, *Part);
      }
    }
    if (const Names Promising = promising(); !Promising.empty()) {
      const World Placebo = world(extract(*Part, named(*Part, Promising)), Again, Any, Promising);
      for (auto &[P, List] : Found)
        enter("placebo", Placebo, List);
    }
    for (auto &[P, List] : Found) {
      retypeSource(*P, List, *Written.M);
      for (Looked &L : List)
        finish(*P, L, *Part, *Written.M);
    }
  }

  // The functions with a loop that an edit changes for the better. Whether it was
  // the edit, the placebo tells; elsewhere there is nothing to tell.
  Names promising() const {
    Names Out;
    for (const auto &[P, List] : Found)
      for (const Looked &L : List) {
        const auto Improves = [&](const char *Edit) {
          const auto It = L.F.C.Worlds.find(Edit);
          return It != L.F.C.Worlds.end() && better(*P, It->second, L.F.C.Worlds.at("written"));
        };
        if (!O.File.empty() || Improves("hoisted") || Improves("retyped"))
          Out.insert(L.F.C.Function);
      }
    return Out;
  }

  void hoist(const Predicate &P, std::vector<Looked> &List, const Module &Part, const Names &Functions) {
    if (P.Qualifier)
      return;
    auto Edited = extract(Part, named(Part, Functions));
    Pipeline Analyses(TM);
    Names Touched;
    for (Function &F : *Edited)
      if (hoistReloads(F, Analyses, P, {}))
        Touched.insert(F.getName().str());
    if (!Touched.empty())
      enter("hoisted", world(std::move(Edited), Again, P, Touched), List);
  }

  void retype(const Predicate &P, std::vector<Looked> &List, const Module &Part) {
    if (!P.Retypable || (!P.Qualifier && !O.StrictAliasing))
      return;
    Names Functions;
    for (const Looked &L : List)
      if (!O.File.empty() || (L.F.C.Retypable && canBeConfirmed(L.F.C)))
        Functions.insert(L.F.C.Function);
    if (Functions.empty())
      return;
    auto Edited = extract(Part, named(Part, Functions));
    retypeStores(*Edited, P, {});
    enter("retyped", world(std::move(Edited), Again, P, Functions), List);
  }

  // Where the placebo is as good as the change of type, made in simplified IR, the
  // passes' second run may be what helps; and a store that has become part of a
  // fill has no type there that could be changed. The change is made in the source
  // then, which is compiled once, as what was written is.
  void retypeSource(const Predicate &P, std::vector<Looked> &List, const Module &Compiled) {
    std::map<std::string, std::vector<Looked *>> Doubtful;
    for (Looked &L : List) {
      auto &Worlds = L.F.C.Worlds;
      if (!Worlds.count("retyped") || !Worlds.count("placebo"))
        continue;
      const bool Improves = better(P, Worlds["retyped"], Worlds["written"]);
      L.FromSource = Improves ? !better(P, Worlds["retyped"], Worlds["placebo"]) : L.Copies;
      if (L.FromSource)
        Doubtful[L.F.C.Function].push_back(&L);
    }
    for (const auto &[Function, Loops] : Doubtful) {
      auto Source = withInlined(M, Compiled, named(M, {Function}));
      auto Edited = cloneWhole(*Source);
      retypeStores(*Edited, P, {});
      const World Retyped = world(std::move(Edited), Compile, P, {Function});
      // What the function does on its own, without the rest of the unit, is no
      // effect of the edit.
      const World Control = world(std::move(Source), Compile, P, {Function});
      for (Looked *L : Loops) {
        L->F.C.Worlds.erase("retyped");
        if (!better(P, stateIn(Control, *L), L->F.C.Worlds["written"]))
          enter("retyped", Retyped, *L);
      }
    }
  }

  // Those of the function that was asked for last.
  Trials &trials(const Predicate &P, const std::string &Function, bool Source, const Module &Part,
                 const Module &Compiled) {
    auto Key = std::tuple(&P, Function, Source);
    if (!Last || LastKey != Key) {
      Last = std::make_unique<Trials>(Source ? withInlined(M, Compiled, named(M, {Function}))
                                             : extract(Part, named(Part, {Function})),
                                      TM, O.Level, Source ? ArrayRef(Compile) : ArrayRef(Again), P, Function);
      LastKey = std::move(Key);
    }
    return *Last;
  }

  void finish(const Predicate &P, Looked &L, const Module &Part, const Module &Compiled) {
    Candidate &C = L.F.C;
    if (L.Judged && C.Worlds.count("placebo"))
      judge(P, C);
    if (O.Blame && is_contained(C.Reach, "retyped"))
      C.Groups = blame(trials(P, C.Function, L.FromSource || L.Merged, Part, Compiled), P, L.F);
    Fine.give(C);
    Out.Candidates.push_back(std::move(C));
  }

  LoopState stateIn(const World &W, const Looked &L) const {
    LoopState S = stateOf(W, L.F);
    if (Said)
      Said->Separate &= S.Own;
    return S;
  }

  void enter(const std::string &Name, const World &W, Looked &L) const {
    LoopState &S = L.F.C.Worlds[Name] = stateIn(W, L);
    if (!O.File.empty())
      S.Remarks = remarksOf(W, L.F);
  }

  void enter(const std::string &Name, const World &W, std::vector<Looked> &List) const {
    for (Looked &L : List)
      if (W.Looked.count(L.F.C.Function))
        enter(Name, W, L);
    if (O.Assembly || O.Cycles)
      addMachineCode(Name, W, List);
  }

  void addMachineCode(const std::string &Name, const World &W, std::vector<Looked> &List) const {
    std::set<mca::LoopName> Loops;
    Names Functions;
    for (Looked &L : List)
      if (const auto It = L.F.C.Worlds.find(Name); It != L.F.C.Worlds.end() && !It->second.Header.empty()) {
        Loops.insert({It->second.Function, It->second.Header});
        Functions.insert(It->second.Function);
      }
    if (Loops.empty())
      return;
    auto Copy = extract(*W.M, named(*W.M, Functions));
    const auto Code = mca::assemble(*Copy, TM, Loops);
    for (Looked &L : List) {
      if (!L.F.C.Worlds.count(Name))
        continue;
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
  Survey *const Said; // null: nobody asks
  std::vector<const Predicate *> Ps;
  std::set<const DISubprogram *> Hot;
  std::unique_ptr<Module> Whole;
  std::vector<Remark> Early; // of the first half
  std::map<const Predicate *, std::vector<Looked>> Found;
  FineCopies Fine;
  std::unique_ptr<Trials> Last;
  std::tuple<const Predicate *, std::string, bool> LastKey;
  Result Out;
};

} // namespace

std::vector<const Predicate *> predicatesOf(const Options &O) {
  std::vector<const Predicate *> Out;
  for (const std::string &Name : O.Predicates)
    if (const Predicate *P = findPredicate(Name, O.StrictAliasing))
      Out.push_back(P);
  return Out;
}

bool mayHold(const Module &M, const Options &O) {
  if (!O.File.empty())
    return true;
  const FunctionSet Held = concerned(M, predicatesOf(O));
  return any_of(Held,
                [&](const Function *F) { return O.Functions.empty() || is_contained(O.Functions, F->getName()); });
}

Result analyse(Module &M, TargetMachine &TM, const Options &O, Survey *Said) { return Analysis(M, TM, O, Said).run(); }

} // namespace whyhot::ir
