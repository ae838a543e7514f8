// vector-bool: elements of std::vector<bool> are bits behind a proxy. Loops over
// them and copies of them, alone or inside a class, are slow.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule VectorBoolRule;

} // namespace whyhot::ast
