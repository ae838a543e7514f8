// The machine code of single loops.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace whyhot::mca {

// A loop in optimised IR: its function and the name of its header block.
using LoopName = std::pair<std::string, std::string>;

struct LoopCode {
  std::string Own;  // the loop's own blocks
  std::string Nest; // with the blocks of the loops in it
};

// Compiles the functions that hold the loops to assembly and cuts the loops out
// of it. M is used up. A loop whose header the back end merged away is missing
// from the answer.
std::map<LoopName, LoopCode> assemble(llvm::Module &M, llvm::TargetMachine &TM, const std::set<LoopName> &Loops);

} // namespace whyhot::mca
