// Verdicts on loops of which the placebo, not the edit, is the surprise: no small
// unit is known that gives one, so the worlds are written down here.
#include "ir/verdict.h"

#include "unit.h"

using namespace whyhot::ir;

namespace {

LoopState scalar(double Loads) {
  LoopState S;
  S.Present = true;
  S.LoadsPerIteration = S.UsualLoads = S.UsualNestLoads = Loads;
  return S;
}

LoopState vectors(unsigned Width, double Cost) {
  LoopState S = scalar(1.0 / Width);
  S.Vectorised = true;
  S.VectorWidth = Width;
  S.VectorCost = Cost;
  return S;
}

struct Worlds {
  LoopState Written, Retyped, Hoisted, Placebo;
};

void reaches(const char *Case, const Worlds &W, const std::vector<std::string> &Reach, const std::string &Effect) {
  Candidate C;
  C.Retypable = true;
  C.Worlds = {{"written", W.Written}, {"retyped", W.Retyped}, {"hoisted", W.Hoisted}, {"placebo", W.Placebo}};
  judge(*findPredicate("char"), C);
  expect(C.Reach == Reach, llvm::Twine(Case) + ": reached by other worlds");
  expect(C.Effect == Effect, llvm::Twine(Case) + ": effect is \"" + C.Effect + "\"");
}

// An outer loop that repeats so many of the loads of its nest.
bool tried(double Reloads, double NestLoads, double NestCalls) {
  Candidate C;
  C.UsualReloads = Reloads;
  C.UsualNestLoads = NestLoads;
  C.UsualNestCalls = NestCalls;
  return canBeConfirmed(C);
}

} // namespace

void verdicts() {
  expect(tried(2, 20, 0.5), "two loads of twenty are worth a world");
  expect(!tried(2, 200, 0), "two loads of two hundred are not");
  expect(!tried(2, 4, 2), "nor two loads beside two calls");
  const std::vector<std::string> Both = {"retyped", "hoisted"};
  reaches("an edit that works", {scalar(8), scalar(1), scalar(1), scalar(8)}, Both, "fewer loads");
  reaches("a second run that works, and nothing else", {scalar(8), scalar(8), scalar(1), scalar(1)}, {}, "");
  reaches("a second run that does what one run could", {scalar(8), scalar(1), scalar(1), scalar(1)}, Both,
          "fewer loads");
  reaches("locals that do less than the type", {scalar(8), scalar(1), scalar(4), scalar(4)}, {"retyped"},
          "fewer loads");
  reaches("vectors by the second run alone", {scalar(8), scalar(8), vectors(4, 2), vectors(4, 2)}, {}, "");
  reaches("vectors by one run with the type", {scalar(8), vectors(4, 2), vectors(4, 2), vectors(4, 2)}, Both,
          "vectorised");
  reaches("wider vectors", {vectors(4, 2), vectors(16, 0.5), vectors(16, 0.5), vectors(4, 2)}, Both, "wider vectors");
  reaches("wider vectors for the same work", {vectors(4, 2), vectors(16, 1.9), vectors(16, 1.9), vectors(4, 2)}, {},
          "");
}
