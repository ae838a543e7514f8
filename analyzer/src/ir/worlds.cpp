#include "ir/worlds.h"

#include "ir/edit.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <algorithm>
#include <set>

using namespace llvm;

namespace whyhot::ir {
namespace {

// One loop of one world with what the passes said of it.
struct Seen {
  std::string Function;
  std::string Key;  // start position with its inlining chain
  std::string Leaf; // start position alone
  bool VectorBody = false;
  unsigned Loads, Stores, Calls, Reloads;
  uint64_t StoreBytes;
};

struct World {
  std::unique_ptr<Module> M;
  std::unique_ptr<Pipeline> P; // owns the analyses that loop facts point into
  std::vector<Remark> Remarks;
  std::vector<Seen> Loops;
};

std::string leafKey(const SourceChain &C) {
  return C.empty() ? std::string() : C[0].File + ":" + std::to_string(C[0].Line) + ":" + std::to_string(C[0].Column);
}

World optimise(std::unique_ptr<Module> M, TargetMachine &TM, OptimizationLevel Level, const Predicate &P) {
  World W;
  W.M = std::move(M);
  W.P = std::make_unique<Pipeline>(TM);
  W.Remarks = runWithRemarks(*W.P, *W.M, Level);
  Pipeline Fresh(TM);
  for (Function &F : *W.M) {
    if (F.isDeclaration())
      continue;
    for (const LoopFacts &X : Fresh.loops(F, P))
      W.Loops.push_back({X.Function, chainKey(X.Start), leafKey(X.Start),
                         X.L->getHeader()->getName().starts_with("vector."), X.Loads, X.Stores, X.Calls,
                         X.blamedReloads() + unsigned(X.Locals.size()), X.StoreBytes});
  }
  return W;
}

bool sameLeaf(const Remark &R, const SourceChain &Start) {
  return !R.Where.empty() && !Start.empty() && R.Where[0].File == Start[0].File && R.Where[0].Line == Start[0].Line &&
         R.Where[0].Column == Start[0].Column;
}

const Remark *findRemark(const World &W, const std::string &Function, const SourceChain &Start, StringRef Pass,
                         std::initializer_list<StringRef> Names) {
  for (const Remark &R : W.Remarks)
    if (R.Kind == RemarkKind::Passed && R.Pass == Pass && sameLeaf(R, Start) &&
        (Function.empty() || R.Function == Function) && is_contained(Names, StringRef(R.Name)))
      return &R;
  return nullptr;
}

// The main body stands for the loop: the vector body where there is one, else
// the first of the loops that share the position (the remainder comes later).
const Seen *mainLoop(const World &W, const std::string &Function, const std::string &Key) {
  const Seen *Best = nullptr;
  for (const Seen &S : W.Loops)
    if (S.Key == Key && S.Function == Function && (!Best || (S.VectorBody && !Best->VectorBody) ||
                                                   (S.VectorBody == Best->VectorBody && S.StoreBytes > Best->StoreBytes)))
      Best = &S;
  return Best;
}

LoopState stateOf(const World &W, const Candidate &C) {
  LoopState S;
  const Seen *L = mainLoop(W, C.Function, chainKey(C.Start));
  if (!L) {
    // Inlining differs between worlds: accept "gone" only where a pass says it
    // replaced or deleted a loop at this very position, in any function.
    S.Idiom = findRemark(W, "", C.Start, "loop-idiom", {"ProcessLoopStridedStore", "ProcessLoopStoreOfLoopLoad"}) ||
              findRemark(W, "", C.Start, "loop-delete", {"Invariant", "NeverExecutes"});
    return S;
  }
  S.Present = true;
  S.Calls = L->Calls;
  S.Reloads = L->Reloads;
  if (const Remark *R = findRemark(W, C.Function, C.Start, "loop-vectorize", {"Vectorized"}); R && L->VectorBody) {
    S.Vectorised = true;
    S.VectorWidth = std::max(1u, R->VectorWidth);
    S.Interleave = std::max(1u, R->Interleave);
  }
  if (const Remark *R = findRemark(W, C.Function, C.Start, "loop-unroll", {"PartialUnrolled", "RuntimeUnrolled"}))
    S.Unroll = std::max(1u, R->UnrollCount);
  const double Iterations =
      S.Vectorised ? double(S.VectorWidth) * S.Interleave : double(std::max(1u, S.Unroll));
  S.LoadsPerIteration = L->Loads / Iterations;
  S.StoresPerIteration = L->Stores / Iterations;
  return S;
}

std::string typeName(const Type *T) {
  std::string S;
  raw_string_ostream(S) << *T;
  return S;
}

void addOnce(std::vector<Access> &List, Access A) {
  if (none_of(List, [&](const Access &B) { return B.Kind == A.Kind && B.Where == A.Where; }))
    List.push_back(std::move(A));
}

Candidate describe(const LoopFacts &X, const Predicate &P) {
  Candidate C;
  C.Predicate = P.Name.str();
  C.Function = X.Function;
  C.Start = X.Start;
  C.Depth = X.Depth;
  C.Innermost = X.Innermost;
  for (const Reload &R : X.Reloads) {
    if (!R.OnlyBlamed)
      continue;
    addOnce(C.Loads, {"load", chainOf(R.Load->getDebugLoc().get()), typeName(R.Load->getType())});
    for (const Instruction *W : R.Clobbers)
      addOnce(C.Writes, {"write", chainOf(W->getDebugLoc().get()), typeName(accessType(*W))});
  }
  for (const LocalReload &R : X.Locals) {
    addOnce(C.Loads, {"first", chainOf(R.First->getDebugLoc().get()), typeName(accessType(*R.First))});
    addOnce(C.Loads, {"load", chainOf(R.Load->getDebugLoc().get()), typeName(R.Load->getType())});
    addOnce(C.Writes, {"write", chainOf(R.Clobber->getDebugLoc().get()), typeName(accessType(*R.Clobber))});
  }
  return C;
}

// Which fact, if any, makes world W better than both the code as written and
// the placebo.
std::string effectOf(const LoopState &W, const LoopState &Written, const LoopState &Placebo) {
  if (W.Idiom && !Written.Idiom && !Placebo.Idiom)
    return "idiom";
  if (!W.Present)
    return {};
  if (W.Vectorised && !Written.Vectorised && !Placebo.Vectorised)
    return "vectorised";
  const double Before = Placebo.Present ? std::min(Written.LoadsPerIteration, Placebo.LoadsPerIteration)
                                        : Written.LoadsPerIteration;
  // Half a load per iteration is the least that is not rounding by a remainder.
  if (W.LoadsPerIteration + 0.5 <= Before)
    return "fewer loads";
  return {};
}

void judge(Candidate &C) {
  for (const char *Name : {"retyped", "hoisted"}) {
    auto It = C.Worlds.find(Name);
    if (It == C.Worlds.end())
      continue;
    std::string Effect = effectOf(It->second, C.Worlds["written"], C.Worlds["placebo"]);
    if (Effect.empty())
      continue;
    C.Confirmed = true;
    C.Reach.push_back(Name);
    if (C.Effect.empty() || Effect != "fewer loads")
      C.Effect = Effect;
  }
}

} // namespace

Result analyse(const Module &M, TargetMachine &TM, const Options &O) {
  Result Out;
  for (const std::string &Name : O.Predicates) {
    const Predicate &P = *findPredicate(Name);
    World Written = optimise(CloneModule(M), TM, O.Level, P);
    if (Out.Loops == 0)
      Out.Loops = Written.Loops.size();

    // Candidates come from IR that is simplified but not yet reshaped: there a
    // loop is still one loop. This is the placebo's and the hoist's start too.
    auto Simplified = CloneModule(M);
    Pipeline(TM, false).run(*Simplified, O.Level);
    std::vector<Candidate> Found;
    {
      Pipeline Analyses(TM);
      for (Function &F : *Simplified) {
        if (F.isDeclaration() || (!O.Functions.empty() && !is_contained(O.Functions, F.getName())))
          continue;
        for (const LoopFacts &X : Analyses.loops(F, P))
          if (X.blamedReloads() || !X.Locals.empty())
            Found.push_back(describe(X, P));
      }
    }
    if (!Found.empty()) {
      std::map<std::string, World> Worlds;
      if (P.Retypable && O.StrictAliasing) {
        auto Retyped = CloneModule(M);
        if (retypeStores(*Retyped, P, {}))
          Worlds["retyped"] = optimise(std::move(Retyped), TM, O.Level, P);
      }
      auto Hoisted = CloneModule(*Simplified);
      {
        Pipeline Analyses(TM);
        if (hoistReloads(*Hoisted, Analyses, P, {}))
          Worlds["hoisted"] = optimise(std::move(Hoisted), TM, O.Level, P);
      }
      Worlds["placebo"] = optimise(std::move(Simplified), TM, O.Level, P);
      for (Candidate &C : Found) {
        C.Worlds["written"] = stateOf(Written, C);
        for (const auto &[Name, W] : Worlds)
          C.Worlds[Name] = stateOf(W, C);
        judge(C);
        Out.Candidates.push_back(std::move(C));
      }
    }
    if (Out.Remarks.empty())
      Out.Remarks = std::move(Written.Remarks);
  }
  return Out;
}

} // namespace whyhot::ir
