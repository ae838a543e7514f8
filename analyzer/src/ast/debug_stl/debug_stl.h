// debug-stl: loops whose accesses to standard containers are checked, because a
// macro of the library's debug mode is defined.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule DebugStlRule;

} // namespace whyhot::ast
