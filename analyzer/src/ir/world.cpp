#include "ir/world.h"

#include "llvm/IR/InstIterator.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace whyhot::ir {
namespace {

// Two chains of one place: where one function was inlined further than the
// other, the longer chain goes on from the shorter.
bool samePlace(const SourceChain &A, const SourceChain &B) {
  const size_t Common = std::min(A.size(), B.size());
  if (Common == 0)
    return false;
  for (size_t I = 0; I < Common; ++I)
    if (A[I].File != B[I].File || A[I].Line != B[I].Line || A[I].Column != B[I].Column)
      return false;
  return true;
}

enum Kind { Remainder, Plain, VectorBody };

// Passes name the blocks they make.
Kind kindOf(const Seen &S) {
  StringRef Name = S.Header;
  if (Name.starts_with("vector."))
    return VectorBody;
  if (Name.starts_with("vec.epilog") || Name.contains(".epil") || Name.contains(".prol"))
    return Remainder;
  return Plain;
}

// The body that does the work stands for the loop. The same choice is made in
// every world; copies for the case in which inner loops never run stand behind.
bool better(const Seen &A, const Seen &B, bool Innermost) {
  if (!Innermost && A.Innermost != B.Innermost)
    return B.Innermost;
  // An inner loop that has become a fill keeps its copy from being vectorised; the copy
  // for the case in which it never runs is.
  if ((A.Fills > 0) != (B.Fills > 0))
    return A.Fills > 0;
  if (kindOf(A) != kindOf(B))
    return kindOf(A) > kindOf(B);
  // Nor is the copy that has nothing to load and is unrolled, for a table that is absent.
  if ((A.Loads > 0) != (B.Loads > 0))
    return A.Loads > 0;
  return std::pair(A.StoreBytes, A.Loads) > std::pair(B.StoreBytes, B.Loads);
}

// Where a counterpart is looked for: the candidate's own function, or all.
enum class Scope { Own, Any };

const Seen *mainLoop(const World &W, const Candidate &C, Scope In) {
  const Seen *Best = nullptr;
  for (const Seen &S : W.Loops) {
    const bool Fits = In == Scope::Own ? S.Function == C.Function && S.Start.size() == C.Start.size() : true;
    if (Fits && samePlace(S.Start, C.Start) && (!Best || better(S, *Best, C.Innermost)))
      Best = &S;
  }
  return Best;
}

const Remark *findRemark(const World &W, const std::string &Function, const SourceChain &At, StringRef Pass,
                         std::initializer_list<StringRef> Names) {
  for (const Remark &R : W.Remarks)
    if (R.Kind == RemarkKind::Passed && R.Pass == Pass && (Function.empty() || R.Function == Function) &&
        is_contained(Names, StringRef(R.Name)) && samePlace(R.Where, At))
      return &R;
  return nullptr;
}

bool saidToBeGone(const World &W, const Followed &F, const std::string &Function) {
  if (findRemark(W, Function, F.C.Start, "loop-delete", {"Invariant", "NeverExecutes"}))
    return true;
  // The idiom's remark stands where the store stood.
  return any_of(F.StoreChains, [&](const SourceChain &S) {
    return findRemark(W, Function, S, "loop-idiom", {"ProcessLoopStridedStore", "ProcessLoopStoreOfLoopLoad"});
  });
}

// The factor among the possible ones that explains the bytes stored best: a
// vector body may be unrolled once more, and a remark about unrolling may mean
// the remainder. Loops that store nothing in place leave only what was said.
double iterationsOf(const Seen &L, const Followed &F, std::initializer_list<double> Possible) {
  double Grown = 0;
  for (const auto &[Where, Bytes] : F.StoreBytes)
    if (auto It = L.StoreBytesAt.find(Where); It != L.StoreBytesAt.end() && Bytes)
      Grown = std::max(Grown, double(It->second) / double(Bytes));
  if (Grown == 0)
    return *(Possible.end() - 1);
  return *std::min_element(Possible.begin(), Possible.end(), [&](double A, double B) {
    return std::abs(std::log(A / Grown)) < std::abs(std::log(B / Grown));
  });
}

bool among(const std::vector<SourceChain> &Chains, const SourceChain &C) {
  return any_of(Chains, [&](const SourceChain &X) { return samePlace(X, C); });
}

// A loop whose iterations all stand one after the other has no loop left to
// count in: its accesses are told by their positions.
void countUnrolled(LoopState &S, const World &W, const Followed &F, const Remark &R) {
  const Function *Fn = W.M->getFunction(R.Function);
  if (!Fn || Fn->isDeclaration() || R.UnrollCount == 0)
    return;
  unsigned Loads = 0, Stores = 0;
  for (const Instruction &I : instructions(*Fn)) {
    if (isa<LoadInst>(I))
      Loads += among(F.LoadChains, chainOf(I.getDebugLoc().get()));
    else if (isa<StoreInst>(I))
      Stores += among(F.StoreChains, chainOf(I.getDebugLoc().get()));
  }
  S.Present = S.FullyUnrolled = true;
  S.Function = R.Function;
  S.Unroll = R.UnrollCount;
  S.Iterations = R.UnrollCount;
  S.LoadsPerIteration = S.UsualLoads = S.UsualNestLoads = double(Loads) / R.UnrollCount;
  S.StoresPerIteration = double(Stores) / R.UnrollCount;
}

LoopState stateOfLoop(const World &W, const Followed &F, const Seen &L) {
  LoopState S;
  S.Present = true;
  S.Function = L.Function;
  S.Header = L.Header;
  S.Calls = L.Calls;
  S.Reloads = L.Reloads;
  double Lanes = 1;
  if (kindOf(L) == VectorBody) {
    if (const Remark *R = findRemark(W, L.Function, F.C.Start, "loop-vectorize", {"Vectorized", "Interleaved"})) {
      S.VectorWidth = R->Name == "Vectorized" ? std::max(1u, R->VectorWidth) : 0;
      S.Vectorised = S.VectorWidth > 1;
      S.Interleave = std::max(1u, R->Interleave);
      Lanes = double(std::max(1u, S.VectorWidth)) * S.Interleave;
    }
  }
  double Unroll = 1;
  if (const Remark *R = findRemark(W, L.Function, F.C.Start, "loop-unroll", {"PartialUnrolled", "RuntimeUnrolled"}))
    Unroll = std::max(1u, R->UnrollCount);
  S.Iterations =
      kindOf(L) == VectorBody ? iterationsOf(L, F, {Lanes * Unroll, Lanes}) : iterationsOf(L, F, {1, Unroll});
  S.Unroll = unsigned(S.Iterations / Lanes + 0.5);
  S.LoadsPerIteration = L.Loads / S.Iterations;
  S.StoresPerIteration = L.Stores / S.Iterations;
  S.UsualLoads = L.UsualLoads / S.Iterations;
  S.UsualNestLoads = L.UsualNestLoads / S.Iterations;
  S.UsualNestCalls = L.UsualNestCalls / S.Iterations;
  S.VectorCost = L.VectorCost / S.Iterations;
  return S;
}

} // namespace

World optimise(std::unique_ptr<Module> M, TargetMachine &TM, OptimizationLevel Level, ArrayRef<Stage> Stages,
               const Predicate &P, const std::set<std::string> &Functions, RemarkDetail Detail) {
  World W;
  W.M = std::move(M);
  W.Looked = Functions;
  {
    Pipeline Passes(TM);
    W.Remarks = runWithRemarks(Passes, *W.M, Level, Stages, Detail);
  }
  Pipeline Fresh(TM);
  for (Function &F : *W.M) {
    if (F.isDeclaration() || !Functions.count(F.getName().str()))
      continue;
    for (LoopFacts &X : Fresh.loops(F, P))
      W.Loops.push_back({X.Function, X.Start, X.L->getHeader()->getName().str(), X.Loads, X.Stores, X.Calls, X.Fills,
                         X.blamedReloads(), X.UsualLoads, X.UsualNestLoads, X.UsualNestCalls, X.VectorCost,
                         X.StoreBytes, std::move(X.StoreBytesAt), X.Innermost});
  }
  return W;
}

std::vector<Remark> remarksOf(const World &W, const Followed &F) {
  std::vector<Remark> Out;
  for (const Remark &R : W.Remarks) {
    if (R.Kind == RemarkKind::Passed && (R.Pass == "inline" || R.Pass == "licm" || R.Pass == "gvn"))
      continue; // what went well inside the loop is no news
    if (!samePlace(R.Where, F.C.Start) && !among(F.LoadChains, R.Where) && !among(F.StoreChains, R.Where))
      continue;
    if (none_of(Out, [&](const Remark &X) { return X.Message == R.Message && X.Where == R.Where; }))
      Out.push_back(R);
  }
  return Out;
}

LoopState stateOf(const World &W, const Followed &F) {
  for (const Scope In : {Scope::Own, Scope::Any}) {
    LoopState S;
    if (const Seen *L = mainLoop(W, F.C, In))
      S = stateOfLoop(W, F, *L);
    S.Own = In == Scope::Own;
    if (S.Present)
      return S;
    const std::string Function = S.Own ? F.C.Function : "";
    if (const Remark *R = findRemark(W, Function, F.C.Start, "loop-unroll", {"FullyUnrolled"}))
      countUnrolled(S, W, F, *R);
    else
      S.Idiom = saidToBeGone(W, F, Function);
    if (S.Present || S.Idiom)
      return S;
  }
  return {};
}

} // namespace whyhot::ir
