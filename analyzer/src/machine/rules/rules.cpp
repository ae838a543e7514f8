#include "machine/rules/rules.h"

namespace whyhot::machine::rules {

std::vector<Match> find(const Subject &) { return {}; }

} // namespace whyhot::machine::rules
