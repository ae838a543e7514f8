#include "ir/verdict.h"

#include <algorithm>

namespace whyhot::ir {
namespace {

// Half an access per iteration is the least that is not rounding by a
// remainder or a peeled iteration.
constexpr double LeastDifference = 0.5;

// Below this part of what an average iteration loads, the rest of the loop
// decides how long it takes.
constexpr double LeastShare = 0.1;

// What a call costs in loads that hit the first cache, at the very least:
// saving and restoring registers around it and the jump and the return.
constexpr double LoadsPerCall = 4;

// A loop that ends after this many iterations is no place to save time in,
// unless another loop is around it.
constexpr unsigned FewIterations = 4;

bool fewer(double Now, double Before) { return Now + LeastDifference <= Before; }

// Are the removed loads more than a small part of what the loop does?
bool worthwhile(const LoopState &World, const LoopState &Written, const LoopState &Placebo) {
  const double Gain = std::min(Written.UsualLoads, Placebo.UsualLoads) - World.UsualLoads;
  return Gain > 0 && Gain >= LeastShare * Written.UsualNestLoads && Gain >= LoadsPerCall * Written.UsualNestCalls;
}

} // namespace

std::string effectOf(const Predicate &P, const LoopState &World, const LoopState &Written, const LoopState &Placebo) {
  if (!Written.Present) // what is not seen as written cannot be seen to improve
    return {};
  if (World.Idiom)
    // Without its qualifier a loop may be dead; that is no speed-up of anything.
    return Placebo.Present && !P.Qualifier ? "idiom" : "";
  if (!World.Present || !Placebo.Present)
    return {};
  if (World.Vectorised && !Written.Vectorised && !Placebo.Vectorised)
    return "vectorised";
  if (fewer(World.LoadsPerIteration, std::min(Written.LoadsPerIteration, Placebo.LoadsPerIteration)) &&
      worthwhile(World, Written, Placebo))
    return "fewer loads";
  if (P.Qualifier && fewer(World.StoresPerIteration, std::min(Written.StoresPerIteration, Placebo.StoresPerIteration)))
    return "fewer stores";
  return {};
}

bool canBeConfirmed(const Candidate &C) {
  return !C.Enclosing.empty() || C.MostIterations == 0 || C.MostIterations > FewIterations;
}

void judge(const Predicate &P, Candidate &C) {
  if (!canBeConfirmed(C))
    return;
  for (const char *Name : {"retyped", "hoisted"}) {
    auto It = C.Worlds.find(Name);
    if (It == C.Worlds.end())
      continue;
    const std::string Effect = effectOf(P, It->second, C.Worlds["written"], C.Worlds["placebo"]);
    if (Effect.empty())
      continue;
    C.Confirmed = true;
    C.Reach.push_back(Name);
    if (C.Effect.empty() || Effect == "vectorised" || Effect == "idiom")
      C.Effect = Effect;
  }
}

} // namespace whyhot::ir
