// From the facts of a loop to a candidate: is it one, and what is said of it before any
// world is compiled.
#pragma once

#include "ir/facts.h"
#include "ir/loops.h"
#include "ir/predicate.h"

#include "llvm/IR/Module.h"

namespace whyhot::ir {

// Is a line of a file in the loop or at its start, by itself or inlined? The file is
// compared from its end.
bool touchesLine(const llvm::Loop &L, const llvm::LoopInfo &LI, llvm::StringRef File, unsigned Line);

bool isCandidate(const LoopFacts &X, const Predicate &P);

// The candidate with its accesses, and what finds its loop again in other worlds.
Followed follow(const LoopFacts &X, const Predicate &P);

// Stores on the branches of a loop may have become one, with no position of its
// own: then every blamed store that the source has in this loop is named. Gives
// whether that was so.
bool nameMergedWrites(Candidate &C, const LoopFacts &X, const Predicate &P, const llvm::Module &Unoptimised);

} // namespace whyhot::ir
