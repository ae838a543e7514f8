// Tells a store that may really change what is read from one that only looks
// as if it might.
#pragma once

#include "llvm/IR/Instructions.h"

namespace whyhot::ir {

// Are the two accesses of one object, in a way that the program may mean to
// overlap? Two members that the source declares apart are not: an index into
// the byte array of a struct stays in that array.
bool mayPun(const llvm::Instruction &Store, const llvm::LoadInst &Load);

} // namespace whyhot::ir
