// Rules over loops of machine code: one file each. A rule says where a pattern is;
// whether it is hot, and what that means, is said by those who have the profile.
#pragma once

#include "machine/loops.h"
#include "machine/machine.h"
#include "registered.h"

#include <vector>

namespace whyhot::machine::rules {

// A loop with all that a rule may look at. Only x86-64 has rules.
struct Subject {
  Function &F;
  const Loops &All;
  const Loop &In;
  const Target &T;
  Image &Im;
};

// A rule is a Registered<Rule> in a file of its own.
using Rule = void (*)(const Subject &S, std::vector<Match> &Out);

// The largest number of bytes by which an address of the loop's own accesses moves in an
// iteration; 0 where none is known to move.
int64_t bytesInIteration(const Subject &S);

// Where the address of a load comes from; nothing where a sample behind the load is no
// sign of a wait for the cache. In a loop or not.
std::optional<Wait> waitOf(Function &F, const Loops &All, const Target &T, Image &Im, const Block &In, size_t At);

// What all rules find in a loop's own blocks, those of the loops in it left out.
std::vector<Match> find(const Subject &S);

} // namespace whyhot::machine::rules
