// The edits that make one world differ from the code as written. Each models a
// change a programmer could make, and returns how many places it touched.
#pragma once

#include "ir/loops.h"
#include "ir/pipeline.h"
#include "ir/predicate.h"

#include "llvm/IR/Module.h"

#include <functional>

namespace whyhot::ir {

// Which stores an edit may touch; an empty function means all of them.
using SiteFilter = std::function<bool(const llvm::Instruction &)>;

// Gives every blamed store a TBAA leaf of its own, below the node it had (or
// below char, where it had none): what the code would be if the written object
// had a type that aliases nothing else. Only stores: reads of other char data
// are not part of such an edit, and retyping them too promotes loads that the
// real edit leaves alone. Copies of one-byte structs carry their tags in
// !tbaa.struct and become stores only later, so those are rewritten as well.
// Where a qualifier is to blame, it is dropped.
unsigned retypeStores(llvm::Module &M, const Predicate &P, const SiteFilter &Only);

// Declares that, within its loop, a blamed store that is the only reason for a
// reload does not alias what is reloaded: what the code would be if bounds and
// data pointers were copied into locals before the loop. Wants IR
// that is simplified and inlined but not yet unrolled or vectorised.
unsigned hoistReloads(llvm::Function &F, Pipeline &Analyses, const Predicate &P, const SiteFilter &Only);

// The same for one loop. Gives whether there was anything to declare.
bool hoistReloads(const LoopFacts &X, const SiteFilter &Only);

} // namespace whyhot::ir
