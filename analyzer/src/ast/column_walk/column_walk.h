// column-walk: inner loops that go down the columns of an array that lies in rows.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule ColumnWalkRule;

} // namespace whyhot::ast
