// Loops that are short by what they do, where no constant bounds them.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

#include <set>

namespace whyhot::ir {

// How far an exit's condition is followed back.
constexpr unsigned MaxConditionDepth = 5;

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

// How many elements the smallest array of known size has that the loop walks along, by
// its own counter: there are no more iterations. 0 where there is none. An array of one
// may be the end of a structure that is longer.
//
// Example. int8_t exp[18]; … for (i = 0; i < s->bands; i++) exp[i] -= least.
unsigned capacity(const llvm::Loop &L, llvm::ScalarEvolution &SE);

// How much of what the source function of the loop does is the loop, in instructions. 1
// where no debug information tells.
double partOfFunction(const llvm::Loop &L);

// What does not change in the loop and its exits compare with, constants left out.
std::set<const llvm::Value *> limits(const llvm::Loop &L);

} // namespace whyhot::ir
