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

// The loops of all functions: what is inlined into a wanted one has loops too, and
// a profile need not know its linkage name.
std::vector<SourceLoop> sourceLoops(const llvm::Module &Unoptimised);

} // namespace whyhot::ir
