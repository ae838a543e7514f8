// Control flow of machine code.
#pragma once

#include "machine/code.h"

namespace whyhot::machine {

// Cuts a function into blocks and finds what follows each.
//
// A jump through a table is followed where the table is in the file: the code
// loads from a constant address, and every entry that counts leads to an
// instruction of the function. An end is where the entries stop doing so, where
// another table begins, or what a comparison before the jump says. Where no table
// is found the jump is counted as unresolved, and may lead to every block that
// nothing else leads to. Handlers of exceptions are reached by no edge.
void connect(Function &F, Image &I, const Target &T);

} // namespace whyhot::machine
