#include "ir/blame.h"

#include "ir/edit.h"
#include "ir/restrict.h"
#include "ir/verdict.h"
#include "ir/world.h"

#include <set>

using namespace llvm;

namespace whyhot::ir {
namespace {

using Sites = std::set<std::string>;

// Each site costs a compilation of the function; a loop with more of them is
// one whose writes nobody changes one by one.
constexpr size_t MaxSites = 12;

class Trials {
public:
  Trials(const Module &Alone, TargetMachine &TM, OptimizationLevel Level, const Predicate &P, const Followed &F)
      : Alone(Alone), TM(TM), Level(Level), P(P), F(F) {}

  bool reaches(const Sites &Changed) {
    auto Edited = cloneWhole(Alone);
    if (!Changed.empty())
      retypeStores(*Edited, P,
                   [&](const Instruction &I) { return Changed.count(leafKey(chainOf(I.getDebugLoc().get()))) > 0; });
    const World W = optimise(std::move(Edited), TM, Level, Compile, P, {F.C.Function}, RemarkDetail::LoopFates);
    return effectOfRetyping(P, stateOf(W, F), F.C) == effectOfRetyping(P, F.C.Worlds.at("retyped"), F.C);
  }

private:
  const Module &Alone;
  TargetMachine &TM;
  OptimizationLevel Level;
  const Predicate &P;
  const Followed &F;
};

// One minimal part of Enough: whatever can be left out is left out.
Sites minimal(Trials &T, Sites Enough) {
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

std::vector<std::vector<unsigned>> blame(const Module &Alone, TargetMachine &TM, OptimizationLevel Level,
                                         const Predicate &P, const Followed &F) {
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
  Trials T(Alone, TM, Level, P, F);
  if (T.reaches({}))
    return {};
  std::vector<std::vector<unsigned>> Groups;
  for (Sites Rest = All; !Rest.empty() && T.reaches(Rest);) {
    const Sites Group = minimal(T, Rest);
    Groups.push_back(indices(Group));
    for (const std::string &Site : Group)
      Rest.erase(Site);
  }
  return Groups;
}

} // namespace whyhot::ir
