// volatile-sync: volatile variables that one thread waits on or counts with.
#pragma once

#include "ast/report.h"

namespace whyhot::ast {

extern const Rule VolatileSyncRule;

} // namespace whyhot::ast
