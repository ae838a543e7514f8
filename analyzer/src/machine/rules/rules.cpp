#include "machine/rules/rules.h"

#include "machine/rules/facts.h"

namespace whyhot::machine::rules {

std::vector<Match> find(const Subject &S) {
  static constexpr Rule Rules[] = {division, reload,  forwarding, checksum,  scalar,    atomic, x87,
                                   rep,      ownCall, generic,    pltCall,   assertion, bits,   packing,
                                   hash,     spill,   stride,     remainder, search};
  std::vector<Match> Out;
  if (S.T.Triple.getArch() != llvm::Triple::x86_64)
    return Out;
  for (const Rule R : Rules)
    R(S, Out);
  return Out;
}

} // namespace whyhot::machine::rules
