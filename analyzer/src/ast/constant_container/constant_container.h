// constant-container: local containers, tables of strings and regular expressions with
// the same contents in every call, built and destroyed each time.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule ConstantContainerRule;

} // namespace whyhot::ast
