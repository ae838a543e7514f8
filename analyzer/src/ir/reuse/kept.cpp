#include "ir/reuse/kept.h"

#include "ir/restrict.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace whyhot::ir::reuse {

// Moves positions along with the functions that they are in.
class Mover {
public:
  Mover(const Kept::Begins &From, const Kept::Begins &To) : From(From), To(To) {}

  // Each gives whether it is certain where the position is now.
  bool move(SourcePoint &P) const {
    const std::optional<int64_t> By = distance(P);
    if (By)
      P.Line += *By;
    return By.has_value();
  }

  bool move(SourceChain &C) const {
    return all_of(C, [&](SourcePoint &P) { return move(P); });
  }

  bool move(Candidate &C) const {
    if (C.EndLine != 0) {
      const std::optional<int64_t> By = C.Start.empty() ? std::nullopt : distance(C.Start.front());
      if (!By)
        return false;
      C.EndLine += *By;
    }
    const auto All = [&](std::vector<Access> &List) { return all_of(List, [&](Access &A) { return move(A.Where); }); };
    return move(C.Start) && all_of(C.Enclosing, [&](SourceChain &S) { return move(S); }) && All(C.Loads) &&
           All(C.Writes) && All(C.Calls);
  }

private:
  std::optional<int64_t> distance(const SourcePoint &P) const {
    if (P.Line == 0)
      return 0;
    const auto Was = From.find(P.Function), Is = To.find(P.Function);
    if (Was == From.end() || Is == To.end())
      return std::nullopt;
    if (Was->second == Is->second)
      return 0;
    if (Was->second.size() != 1 || Is->second.size() != 1)
      return std::nullopt;
    const auto &[File, Line] = *Was->second.begin();
    const auto &[FileNow, LineNow] = *Is->second.begin();
    if (File != FileNow)
      return std::nullopt;
    return P.File == File ? static_cast<int64_t>(LineNow) - static_cast<int64_t>(Line) : 0;
  }

  const Kept::Begins &From, &To;
};

namespace {

// An editor saves few files alternately.
constexpr size_t MostKept = 4;

// Each definition is compared with all that it depends on: in units of more than these, that
// may take longer than what it saves.
constexpr size_t MostDefinitions = 10000;

// Of the instructions of a unit. Where more of them have to be optimised again, the rest
// is not worth the second look.
constexpr double Most = 0.9;

size_t instructions(const Module &M) {
  size_t N = 0;
  for (const Function &F : M)
    N += F.getInstructionCount();
  return N;
}

// Does the request ask for what is said of a whole unit, and of nothing but its loops?
bool isOfUnit(const Options &O) {
  return O.Functions.empty() && O.File.empty() && !O.Remarks && !O.Assembly && !O.Cycles && !O.EveryLoop;
}

std::string keyOf(const std::string &Unit, const Options &O) {
  std::string Key = Unit + (O.Blame ? "\nblame" : "\n");
  Key += std::to_string(O.Level.getSpeedupLevel()) + std::to_string(O.Level.getSizeLevel()) +
         (O.StrictAliasing ? "a" : "");
  for (const std::string &Predicate : O.Predicates)
    Key += "\n" + Predicate;
  return Key;
}

// The names of what the object file holds, by what was said of each definition. None where
// something is in use that was not when it was looked at.
template <typename Find> std::optional<StringSet<>> inUse(const Module &M, Find SaidOf) {
  std::map<const Comdat *, std::vector<const GlobalValue *>> Together;
  StringSet<> Out;
  std::vector<std::string> Work;
  const auto use = [&](StringRef Name) {
    if (Out.insert(Name).second)
      Work.push_back(Name.str());
  };
  for (const GlobalValue &G : M.global_values()) {
    if (G.isDeclaration())
      continue;
    if (auto *Object = dyn_cast<GlobalObject>(&G); Object && Object->getComdat())
      Together[Object->getComdat()].push_back(&G);
    const auto *S = SaidOf(G.getName());
    if (!G.isDiscardableIfUnused() && S && S->Survives)
      use(G.getName());
  }
  while (!Work.empty()) {
    const std::string Name = std::move(Work.back());
    Work.pop_back();
    const auto *S = SaidOf(Name);
    if (!S || !S->Survives)
      return std::nullopt;
    for (const std::string &Other : S->Is.Refers)
      use(Other);
    if (auto *Object = dyn_cast<GlobalObject>(M.getNamedValue(Name)); Object && Object->getComdat())
      for (const GlobalValue *Other : Together[Object->getComdat()])
        use(Other->getName());
  }
  return Out;
}

} // namespace

Kept::Begins Kept::beginsOf(const Module &M) {
  Begins Out;
  for (const Function &F : M)
    if (const DISubprogram *S = F.getSubprogram(); S && !F.isDeclaration()) {
      const StringRef Name = S->getLinkageName().empty() ? S->getName() : S->getLinkageName();
      Out[Name.str()].insert({S->getFile() ? pathOf(*S->getFile()) : std::string(), S->getLine()});
    }
  return Out;
}

// What holds of an earlier analysis, on the lines of M.
Kept::Entry Kept::moved(const Entry &E, const Parts &P, const Module &M) {
  Entry Out{E.Unit, E.OfModule, beginsOf(M), {}};
  const Mover Lines(E.Where, Out.Where);
  for (const Parts::Part &Part : P.all()) {
    const auto It = E.Of.find(Part.G->getName().str());
    if (It == E.Of.end() || It->second.Whole != Part.Whole)
      continue;
    Said S = It->second;
    if (all_of(S.Candidates, [&](Candidate &C) { return Lines.move(C); }) &&
        all_of(S.Is.Fine, [&](auto &Copy) { return Lines.move(Copy.second.Start); }))
      Out.Of[It->first] = std::move(S);
  }
  return Out;
}

void Kept::enter(Entry &E, const Parts &P, const BitVector &Which, const Survey &S, const Result &R) {
  for (const unsigned I : Which.set_bits()) {
    const Parts::Part &Part = P.all()[I];
    const std::string Name = Part.G->getName().str();
    const auto It = S.Survivors.find(Name);
    if (It == S.Survivors.end()) { // what does not depend on the others may be in use elsewhere
      E.Of.try_emplace(Name, Said{Part.Whole, false, {}, {}});
      continue;
    }
    Said &Of = E.Of[Name] = {Part.Whole, true, It->second, {}};
    for (const Candidate &C : R.Candidates)
      if (C.Function == Name)
        Of.Candidates.push_back(C);
  }
}

std::optional<Result> Kept::gather(const Entry &E, const Module &M, const Options &O) {
  const auto SaidOf = [&](StringRef Name) {
    const auto It = E.Of.find(Name.str());
    return It == E.Of.end() ? nullptr : &It->second;
  };
  const auto Used = inUse(M, SaidOf);
  if (!Used)
    return std::nullopt;
  Result Out;
  FineCopies Fine;
  std::vector<const Said *> Functions;
  for (const Function &F : M)
    if (Used->contains(F.getName())) {
      const Said &S = *Functions.emplace_back(SaidOf(F.getName()));
      Out.Loops += S.Is.Loops;
      for (const auto &[Predicate, Copy] : S.Is.Fine)
        Fine.add(Predicate, Copy);
    }
  const std::vector<const Predicate *> Ps = predicatesOf(O);
  for (const Predicate *P : std::set<const Predicate *>(Ps.begin(), Ps.end()))
    for (const Said *S : Functions)
      for (const Candidate &C : S->Candidates)
        if (C.Predicate == P->Name)
          Fine.give(Out.Candidates.emplace_back(C));
  return Out;
}

// An answer that needs no analysis of the whole unit, where there is one. E is what was said
// of the unit before, and then what is said now.
std::optional<Result> Kept::again(Module &M, TargetMachine &TM, const Options &O, const Parts &P, Entry &E) {
  Entry Now = moved(E, P, M);
  BitVector Changed(P.all().size());
  for (unsigned I = 0; I < P.all().size(); ++I)
    if (!Now.Of.count(P.all()[I].G->getName().str()))
      Changed.set(I);
  const BitVector Which = P.closure(Changed);
  std::set<const GlobalValue *> Keep;
  size_t Size = 0;
  for (const unsigned I : Which.set_bits()) {
    Keep.insert(P.all()[I].G);
    if (auto *F = dyn_cast<Function>(P.all()[I].G))
      Size += F->getInstructionCount();
  }
  if (Size > Most * instructions(M))
    return std::nullopt;
  if (Which.any()) {
    auto Part = only(M, Keep);
    Survey S;
    const Result R = ir::analyse(*Part, TM, O, &S);
    if (!S.Separate)
      return std::nullopt;
    enter(Now, P, Which, S, R);
  }
  std::optional<Result> Out = gather(Now, M, O);
  if (!Out)
    return std::nullopt;
  for (const Function &F : M)
    Out->Reused += !F.isDeclaration() && !Keep.count(&F);
  E = std::move(Now);
  return Out;
}

Result Kept::analyse(Module &M, TargetMachine &TM, const Options &O, const std::string &Unit, bool Whole) {
  const auto IsDefinition = [](const GlobalValue &G) { return !G.isDeclaration(); };
  if (!isOfUnit(O) || !mayHold(M, O) || count_if(M.global_values(), IsDefinition) > ptrdiff_t(MostDefinitions))
    return ir::analyse(M, TM, O);
  const Parts P(M);
  const std::string Key = keyOf(Unit, O);
  const auto It = find_if(Entries, [&](const Entry &E) { return E.Unit == Key; });
  if (It != Entries.end()) {
    Entries.splice(Entries.begin(), Entries, It);
    if (!Whole && It->OfModule == P.ofModule())
      if (std::optional<Result> Out = again(M, TM, O, P, *It))
        return std::move(*Out);
    Entries.erase(It);
  }
  Survey S;
  Result R = ir::analyse(M, TM, O, &S);
  if (!S.Separate)
    return R;
  Entry &E = Entries.emplace_front(Entry{Key, P.ofModule(), beginsOf(M), {}});
  enter(E, P, BitVector(P.all().size(), true), S, R);
  if (Entries.size() > MostKept)
    Entries.pop_back();
  return R;
}

} // namespace whyhot::ir::reuse
