#include "machine/rules/rules.h"

namespace whyhot::machine::rules {

std::vector<Match> find(const Subject &S) {
  std::vector<Match> Out;
  if (S.T.Triple.getArch() != llvm::Triple::x86_64)
    return Out;
  for (const Rule R : Registered<Rule>::all())
    R(S, Out);
  return Out;
}

} // namespace whyhot::machine::rules
