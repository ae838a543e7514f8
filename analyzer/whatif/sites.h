// Finds the places of a plan in a module, by the positions that instructions
// carry.
#pragma once

#include "plan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

namespace whyhot::whatif {

class Sites {
public:
  // Is the position, with the calls it was inlined through, one of the places?
  // A place that ends in the user's code matches whatever that was inlined into.
  bool contains(const std::vector<Chain> &Places, const llvm::DILocation *At);

  // Does the module have an instruction that one of the edit's places may become
  // once its calls are inlined?
  bool mayHold(const llvm::Module &M, const Edit &E);

private:
  bool follows(const Chain &Place, const llvm::DILocation *At);
  bool at(const Point &P, const llvm::DILocation &At);
  const std::string &pathOf(const llvm::DIFile *F);

  llvm::DenseMap<const llvm::DIFile *, std::string> Paths;
};

// Do two names of files mean one file? A build may know it by a shorter name
// than the database, or reach it through a link.
bool sameFile(llvm::StringRef A, llvm::StringRef B);

} // namespace whyhot::whatif
