// The loops of a unit as the source has them, before any pass: what a remark
// about a line is about.
#pragma once

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace whyhot::ir {

struct SourceLoop {
  std::string Function; // linkage name
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
  unsigned EndLine = 0;
  unsigned Depth = 1; // within the function
};

// The loops of unoptimised functions that have these names, or of all.
std::vector<SourceLoop> sourceLoops(const llvm::Module &Unoptimised, const std::vector<std::string> &Functions);

} // namespace whyhot::ir
