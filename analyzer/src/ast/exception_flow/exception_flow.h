// exceptions-control-flow: exceptions that are thrown and caught in the same
// loop nest, so that iterations pay for unwinding.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule ExceptionFlowRule;

} // namespace whyhot::ast
