// bit-by-bit: loops that set one bit after the other in memory, each by reading,
// changing and writing its byte or word.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule BitByBitRule;

} // namespace whyhot::ast
