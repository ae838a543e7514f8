// value-container: containers passed by value that the function only reads.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule ValueContainerRule;

} // namespace whyhot::ast
