// Calls in hot loops: through a stub, or to what an assertion calls when it fails.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

// In a long loop a call is a small part, or runs seldom.
constexpr size_t Short = 64;

template <typename Wanted> void callsThroughStubs(const Subject &S, std::vector<Match> &Out, RuleId Rule, Wanted W) {
  const std::vector<Place> &All = own(S);
  if (!S.In.isInnermost() || All.size() > Short)
    return;
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (!I.Call || !I.Jumps)
      continue;
    if (const Stub *To = S.Im.stub(*I.Jumps); To && W(*To))
      add(Out, Rule, I, {{"function", To->Name}});
  }
}

bool isFailure(StringRef Name) {
  return Name == "__assert_fail" || Name == "__assert" || Name.starts_with("_ZSt21__glibcxx_assert_fail");
}

// Does a block do nothing but report that an assertion failed?
bool fails(const Subject &S, const Block &B) {
  for (size_t N = B.First; N < B.End; ++N) {
    const Instruction &I = S.F.Code[N];
    if (I.Bad || (I.stores() && !I.Call && !I.Name.starts_with("PUSH")))
      return false;
    if (!I.Call)
      continue;
    const Stub *To = I.Jumps ? S.Im.stub(*I.Jumps) : nullptr;
    return To && isFailure(To->Name);
  }
  return false;
}

// A library that calls its own function through the stub by which another could
// take its place.
void ownCall(const Subject &S, std::vector<Match> &Out) {
  callsThroughStubs(S, Out, "machine-own-call", [](const Stub &To) { return To.Own; });
}

// A call of another library's function. Whether it is a short one, for which the way
// there is a part of the cost, is told by those who know where samples are.
void pltCall(const Subject &S, std::vector<Match> &Out) {
  callsThroughStubs(S, Out, "machine-plt-call", [](const Stub &To) { return !To.Own; });
}

// A check whose failure ends in assert: the branch, and what it waits for.
void assertion(const Subject &S, std::vector<Match> &Out) {
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    if (I.Bad || !I.Conditional || P.At + 1 != P.In->End ||
        none_of(P.In->Successors, [&](const Block *To) { return !S.In.contains(To) && fails(S, *To); }))
      continue;
    if (P.At > P.In->First && S.F.Code[P.At - 1].Desc && !S.F.Code[P.At - 1].Call)
      add(Out, "machine-assert", S.F.Code[P.At - 1]);
    add(Out, "machine-assert", I);
  }
}

const Registered<Rule> OwnCallRule("own-call", ownCall);
const Registered<Rule> PltCallRule("plt-call", pltCall);
const Registered<Rule> AssertionRule("assertion", assertion);

} // namespace
} // namespace whyhot::machine::rules
