// The alias rules: alias-loop-condition and its two narrower forms,
// alias-pointer-field, alias-pointer-dereference, alias-array-element and
// alias-multidim. All are names for shapes of one fact: memory is read again
// because a char-like store lies between.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule AliasRules;

} // namespace whyhot::ast
