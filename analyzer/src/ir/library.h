// What the user cannot edit: the files of libraries, and what happens inside a
// call of one of their inline functions.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

#include <set>
#include <string>

namespace whyhot::ir {

// Writes down in the module which of its files are a library's, so that every
// copy of the module knows it. Paths are as the debug information spells them.
void noteLibraryFiles(llvm::Module &M, const std::set<std::string> &Files);

// Reads it back. A module that nothing was noted in has no library.
class Library {
public:
  explicit Library(const llvm::Module &M) : M(M) {}

  // Is the instruction written in a library?
  bool holds(const llvm::Instruction &I);

  // Is the load made inside a call of the library that also writes, such as a
  // push_back that reads the vector's end? No local of the caller replaces it. A
  // call that only reads, such as size(), is replaced whole.
  bool isInsideWritingCall(const llvm::Instruction &Load, llvm::ArrayRef<llvm::Instruction *> Writers);

private:
  bool holds(const llvm::DILocation *At);
  const llvm::DILocation *callIn(const llvm::Instruction &I);

  const llvm::Module &M;
  llvm::DenseMap<const llvm::DIFile *, bool> Known;
};

} // namespace whyhot::ir
