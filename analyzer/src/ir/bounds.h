// Loops that are short by what they do, where no constant bounds them.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

#include <set>

namespace whyhot::ir {

// Does the loop go on only while the element that it overwrites equals one value? So it
// does where it carries into the digits of a number, and it ends at the first that does
// not overflow: while (b[x] == 0xff) b[x--] = 0; or do ++b[x]; while (b[x--] == 0).
bool carries(const llvm::Loop &L);

// Does it count up to the next multiple of a small power of two? while (n++ % 8)
// *p++ = 0; or for (i = n; i < ((n + 3) & ~3); i++) p[i] = 0.
bool pads(const llvm::Loop &L, llvm::ScalarEvolution &SE);

// Does every iteration shift a number by so much that after 16 of them nothing is left?
// for (i = 0; i < n; i++, x >>= 8) *p++ = x; or p[i] = x >> (8 * i).
bool digits(const llvm::Loop &L, llvm::ScalarEvolution &SE);

// What does not change in the loop and its exits compare with, constants left out.
std::set<const llvm::Value *> limits(const llvm::Loop &L);

} // namespace whyhot::ir
