// The verdict on a candidate: only facts that the edit does not decide itself.
#pragma once

#include "ir/facts.h"
#include "ir/predicate.h"

namespace whyhot::ir {

// Which fact, if any, makes a world better than both the code as written and
// the placebo: "vectorised", "idiom", "fewer loads", "fewer stores", or "".
std::string effectOf(const Predicate &P, const LoopState &World, const LoopState &Written, const LoopState &Placebo);

// Can any world confirm the candidate? Where none can, none needs to be compiled.
bool canBeConfirmed(const Candidate &C);

void judge(const Predicate &P, Candidate &C);

} // namespace whyhot::ir
