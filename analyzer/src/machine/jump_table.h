// Where a jump through a table may lead.
#pragma once

#include "machine/code.h"

#include <vector>

namespace whyhot::machine {

struct Jump {
  std::vector<uint64_t> Targets;
  bool Leaves = false; // a call at the function's end: there is no table
};

// What the indirect jump at an index of F.Code may lead to; neither where that is
// not known.
//
// Example. gcc's and clang's switch: lea T(%rip),%rdx; movslq (%rdx,%rax,4),%rax;
// add %rdx,%rax; jmp *%rax: each entry of T is a distance from T.
Jump targetsOf(const Function &F, size_t At, Image &I, const Target &T);

} // namespace whyhot::machine
