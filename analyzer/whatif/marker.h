// The note that keeps a counterfactual program from being mistaken for a
// product: an ELF note in section .note.whyhot of every unit.
#pragma once

#include "plan.h"

#include "llvm/IR/Module.h"

namespace whyhot::whatif {

// Owner and type of the note, as internal/elfinfo/mark looks for them.
inline constexpr char NoteOwner[] = "whyhot";
inline constexpr unsigned NoteType = 0x5749; // "WI": what-if

bool isMarked(const llvm::Module &M);

// The description says which world the unit is of, and for which findings. It
// is as long in one world as in another, so that it moves no code.
void mark(llvm::Module &M, const Plan &P);

} // namespace whyhot::whatif
