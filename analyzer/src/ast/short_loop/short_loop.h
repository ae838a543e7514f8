// short-loop: inner loops that run two to four times, by a number that the compiler
// does not know.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule ShortLoopRule;

} // namespace whyhot::ast
