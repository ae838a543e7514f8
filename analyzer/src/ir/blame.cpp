#include "ir/blame.h"

#include "ir/edit.h"
#include "ir/restrict.h"
#include "ir/verdict.h"
#include "ir/world.h"

#include <algorithm>
#include <set>

using namespace llvm;

namespace whyhot::ir {
namespace {

using Sites = std::set<std::string>;

// Each site costs a compilation of the function; a loop with more of them is
// one whose writes nobody changes one by one.
constexpr size_t MaxSites = 12;

// Nor does anyone read of as many sets as these trials would find.
constexpr unsigned MaxTrials = 6;

// What one candidate asks.
class Questions {
public:
  Questions(Trials &Of, const Predicate &P, const Followed &F) : Of(Of), P(P), F(F) {}

  bool reaches(const Sites &Changed) {
    if (!freesALoad(Changed) || exhausted())
      return false;
    ++Asked;
    return effectOfRetyping(P, stateOf(Of.with(Changed), F), F.C) == effectOfRetyping(P, F.C.Worlds.at("retyped"), F.C);
  }

  bool exhausted() const { return Asked == MaxTrials; }

private:
  // Writes that were named from the source have no site in the IR to tell by.
  bool freesALoad(const Sites &Changed) const {
    const auto IsNamed = [&](const std::string &Site) {
      return any_of(F.C.Writes, [&](const Access &W) { return leafKey(W.Where) == Site; });
    };
    return F.Clobbers.empty() || any_of(F.Clobbers, [&](const Sites &Of) {
             return all_of(Of, [&](const std::string &Site) { return Changed.count(Site) || !IsNamed(Site); });
           });
  }

  Trials &Of;
  const Predicate &P;
  const Followed &F;
  unsigned Asked = 0;
};

// The sets of sites that keep one load each from leaving the loop, the smallest
// first.
std::vector<Sites> setsOf(const Followed &F, const Sites &Named) {
  std::vector<Sites> Out;
  for (const Sites &Of : F.Clobbers) {
    Sites S;
    std::set_intersection(Of.begin(), Of.end(), Named.begin(), Named.end(), std::inserter(S, S.end()));
    if (!S.empty() && !is_contained(Out, S))
      Out.push_back(std::move(S));
  }
  sort(Out, [](const Sites &A, const Sites &B) { return std::pair(A.size(), A) < std::pair(B.size(), B); });
  return Out;
}

// One minimal part of Enough: whatever can be left out is left out.
Sites minimal(Questions &T, Sites Enough) {
  for (const std::string &Site : Sites(Enough)) {
    if (Enough.size() == 1)
      break;
    Sites Rest = Enough;
    Rest.erase(Site);
    if (T.reaches(Rest))
      Enough = std::move(Rest);
  }
  return Enough;
}

} // namespace

Trials::Trials(std::unique_ptr<Module> Alone, TargetMachine &TM, OptimizationLevel Level, ArrayRef<Stage> Stages,
               const Predicate &P, std::string Function)
    : Alone(std::move(Alone)), TM(TM), Level(Level), Stages(Stages), P(P), Function(std::move(Function)) {}

const World &Trials::with(const Sites &Changed) {
  const auto Known = Worlds.find(Changed);
  if (Known != Worlds.end())
    return Known->second;
  auto Edited = cloneWhole(*Alone);
  if (!Changed.empty())
    retypeStores(*Edited, P,
                 [&](const Instruction &I) { return Changed.count(leafKey(chainOf(I.getDebugLoc().get()))) > 0; });
  return Worlds[Changed] = optimise(std::move(Edited), TM, Level, Stages, P, {Function}, RemarkDetail::LoopFates);
}

std::vector<std::vector<unsigned>> blame(Trials &Of, const Predicate &P, const Followed &F) {
  Sites All;
  for (const Access &W : F.C.Writes)
    All.insert(leafKey(W.Where));
  auto indices = [&](const Sites &Of) {
    std::vector<unsigned> Out;
    for (unsigned I = 0; I < F.C.Writes.size(); ++I)
      if (Of.count(leafKey(F.C.Writes[I].Where)))
        Out.push_back(I);
    return Out;
  };
  if (All.empty() || All.size() > MaxSites)
    return {};
  if (All.size() == 1) // the world in which all writes are changed is that of this one
    return {indices(All)};
  const std::vector<Sites> Sets = setsOf(F, All);
  if (Sets.size() > MaxTrials)
    return {};
  Questions T(Of, P, F);
  if (T.reaches({}))
    return {};
  std::vector<std::vector<unsigned>> Groups;
  Sites Rest = All;
  auto take = [&](const Sites &Group) {
    Groups.push_back(indices(Group));
    for (const std::string &Site : Group)
      Rest.erase(Site);
  };
  for (const Sites &Set : Sets)
    if (std::includes(Rest.begin(), Rest.end(), Set.begin(), Set.end()) && (Set == All || T.reaches(Set)))
      take(Set);
  if (Groups.empty()) // it takes more loads than those of one set
    while (!Rest.empty() && T.reaches(Rest))
      take(minimal(T, Rest));
  return T.exhausted() ? std::vector<std::vector<unsigned>>() : Groups;
}

} // namespace whyhot::ir
