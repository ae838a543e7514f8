// What was done in a unit, for the report of the whole build.
#pragma once

#include "plan.h"

#include "llvm/IR/Module.h"

namespace whyhot::whatif {

struct Done {
  bool Optimised = true;
  bool Tagged = false;        // the unit has type-based alias information
  bool Positioned = false;    // its instructions have positions
  std::vector<unsigned> Met;  // by edit: instructions, or loops, at its places
  std::vector<unsigned> Made; // by edit: how many of them could be edited
};

// Appends one line.
void append(const Plan &P, const llvm::Module &M, const Done &D);

} // namespace whyhot::whatif
