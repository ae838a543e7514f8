#include "ir/verdict.h"

#include <algorithm>

using namespace llvm;

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

// Wider vectors are a gain where the vectoriser's own cost model says so: twice
// the elements in two registers instead of one take twice as long. It knows
// nothing of what the rest of the processor does meanwhile, hence the margin.
constexpr double WiderCost = 0.7;

// A loop that ends after this many iterations is no place to save time in,
// unless another loop is around it.
constexpr unsigned FewIterations = 4;

bool fewer(double Now, double Before) { return Now + LeastDifference <= Before; }

// A load that moves to a slow path still stands in the loop: only what an
// average iteration does tells that it is gone from it.
bool fewerLoads(const LoopState &World, const LoopState &Before) {
  if (fewer(World.LoadsPerIteration, Before.LoadsPerIteration))
    return true;
  return Before.Calls > 0 && World.LoadsPerIteration <= Before.LoadsPerIteration &&
         fewer(World.UsualLoads, Before.UsualLoads);
}

// Are the removed loads more than a small part of what the loop does?
bool worthwhile(const LoopState &World, const LoopState &Before) {
  const double Gain = Before.UsualLoads - World.UsualLoads;
  return Gain > 0 && Gain >= LeastShare * Before.UsualNestLoads && Gain >= LoadsPerCall * Before.UsualNestCalls;
}

bool wider(const LoopState &World, const LoopState &Before) {
  return World.VectorWidth >= 2 * Before.VectorWidth && World.VectorCost > 0 &&
         World.VectorCost <= WiderCost * Before.VectorCost;
}

// The better of both in each respect: what an edited world has to beat.
LoopState best(const LoopState &Written, const LoopState &Placebo) {
  LoopState B = Written;
  B.Present = Written.Present && Placebo.Present;
  B.Vectorised = Written.Vectorised || Placebo.Vectorised;
  if (Placebo.Vectorised && (!Written.Vectorised || Placebo.VectorWidth > Written.VectorWidth)) {
    B.VectorWidth = Placebo.VectorWidth;
    B.VectorCost = Placebo.VectorCost;
  }
  B.LoadsPerIteration = std::min(Written.LoadsPerIteration, Placebo.LoadsPerIteration);
  B.StoresPerIteration = std::min(Written.StoresPerIteration, Placebo.StoresPerIteration);
  B.UsualLoads = std::min(Written.UsualLoads, Placebo.UsualLoads);
  return B;
}

std::string effectAgainst(const Predicate &P, const LoopState &World, const LoopState &Before) {
  if (!Before.Present) // what is not seen before cannot be seen to improve
    return {};
  if (World.Idiom)
    // Without its qualifier a loop may be dead; that is no speed-up of anything.
    return P.Qualifier ? "" : "idiom";
  if (!World.Present)
    return {};
  if (World.Vectorised && !Before.Vectorised)
    return "vectorised";
  if (World.Vectorised && Before.Vectorised && wider(World, Before))
    return "wider vectors";
  if (fewerLoads(World, Before) && worthwhile(World, Before))
    return "fewer loads";
  if (P.Qualifier && fewer(World.StoresPerIteration, Before.StoresPerIteration))
    return "fewer stores";
  return {};
}

const LoopState *worldOf(const Candidate &C, const char *Name) {
  const auto It = C.Worlds.find(Name);
  return It == C.Worlds.end() ? nullptr : &It->second;
}

// Even without all its repeated loads an outer loop would gain too little: what
// is in the loops inside it, or the calls, take its time. It is not vectorised
// either. The numbers are of simplified IR, hence the factor of two.
bool isLostInNest(const Candidate &C) {
  const double AtMost = 2 * C.UsualReloads;
  return !C.Innermost && C.UsualReloads > 0 &&
         (AtMost < LeastShare * C.UsualNestLoads || AtMost < LoadsPerCall * C.UsualNestCalls);
}

} // namespace

std::string effectOfRetyping(const Predicate &P, const LoopState &Retyped, const Candidate &C) {
  return effectAgainst(P, Retyped, C.Worlds.at("written"));
}

std::string effectOfHoisting(const Predicate &P, const LoopState &Hoisted, const Candidate &C) {
  const LoopState &Written = C.Worlds.at("written"), &Placebo = C.Worlds.at("placebo");
  std::string Effect = effectAgainst(P, Hoisted, best(Written, Placebo));
  const LoopState *Retyped = worldOf(C, "retyped");
  if (!Effect.empty() || !Retyped)
    return Effect;
  Effect = effectAgainst(P, Hoisted, Written);
  const bool AsGood = Hoisted.Idiom || Hoisted.Vectorised || !fewer(Retyped->UsualLoads, Hoisted.UsualLoads);
  return AsGood && Effect == effectOfRetyping(P, *Retyped, C) ? Effect : "";
}

bool canBeConfirmed(const Candidate &C) {
  return !isLostInNest(C) && (!C.Enclosing.empty() || C.MostIterations == 0 || C.MostIterations > FewIterations);
}

void judge(const Predicate &P, Candidate &C) {
  if (!canBeConfirmed(C))
    return;
  const auto Claim = [&C](const char *World, const std::string &Effect) {
    if (Effect.empty())
      return;
    C.Confirmed = true;
    C.Reach.push_back(World);
    C.Effects[World] = Effect;
    if (C.Effect.empty() || Effect != "fewer loads")
      C.Effect = Effect;
  };
  if (const LoopState *Retyped = worldOf(C, "retyped"); Retyped && C.Retypable)
    Claim("retyped", effectOfRetyping(P, *Retyped, C));
  if (const LoopState *Hoisted = worldOf(C, "hoisted"))
    Claim("hoisted", effectOfHoisting(P, *Hoisted, C));
}

} // namespace whyhot::ir
