// Cycles of an iteration of a loop of machine code.
#pragma once

#include "machine/loops.h"
#include "machine/machine.h"
#include "machine/target.h"

namespace whyhot::machine {

// What an innermost loop takes on each processor: along the way through it with the
// fewest instructions, and along the one with the most. Calls are left out, of atomic
// updates and string instructions that they are more than their parts, and Left counts
// them all: with any of them the numbers are lower bounds. A loop that one cannot walk
// through (a jump between its blocks goes back) has no number.
std::map<std::string, Modelled> modelled(const Function &F, const Loop &L, const Target &T,
                                         const std::vector<std::string> &Processors, LeftOut &Left);

} // namespace whyhot::machine
