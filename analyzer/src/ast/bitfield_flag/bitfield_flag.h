// bitfield-flag: bit-fields of shared objects tested or updated in a loop. Every
// update reads and writes the whole word, and clobbers everything in reach.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule BitfieldFlagRule;

} // namespace whyhot::ast
