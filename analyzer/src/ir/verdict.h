// The verdict on a candidate: only facts that the edit does not decide itself.
#pragma once

#include "ir/facts.h"
#include "ir/predicate.h"

namespace whyhot::ir {

// Which fact, if any, makes a world better: "vectorised", "wider vectors",
// "idiom", "fewer loads", "fewer stores", or "".
//
// A change of type is one edit and one run of the passes, as the code as written
// is, and is held against that alone.
std::string effectOfRetyping(const Predicate &P, const LoopState &Retyped, const Candidate &C);

// Hoisting is modelled behind a first run of the passes, so what it gains has to
// be more than the placebo gains. Where the second run alone removes the loads
// already, it cannot be told so what the locals would do; but if one run removes
// them too once the stores have a type of their own, then what the second run
// found was not needed to, and locals, which take away the same loads, count
// against the code as written.
//
// Example: 8 loads as written, 1 in the placebo, 1 hoisted. With 1 retyped the
// effect is 8 → 1; with 8 retyped there is none.
std::string effectOfHoisting(const Predicate &P, const LoopState &Hoisted, const Candidate &C);

// Can any world confirm the candidate? Where none can, none needs to be compiled.
bool canBeConfirmed(const Candidate &C);

void judge(const Predicate &P, Candidate &C);

} // namespace whyhot::ir
