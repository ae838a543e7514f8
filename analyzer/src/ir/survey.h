// What an analysis says of each definition of its unit, for one that is to reuse it.
#pragma once

#include "ir/facts.h"

#include "llvm/IR/Module.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace whyhot::ir {

// By where a loop stands in the source: the copies of it that are no candidates. What the
// caller knows often takes the repeated loads away.
class FineCopies {
public:
  void add(const std::string &Predicate, FineCopy Copy);
  void give(Candidate &C) const; // those of its loop

private:
  std::map<std::pair<std::string, std::string>, std::set<FineCopy>> Copies;
};

// A definition that the first half of the pipeline leaves.
struct Survivor {
  std::set<std::string> Refers;                       // to these definitions of the unit
  unsigned Loops = 0;                                 // looked at
  std::vector<std::pair<std::string, FineCopy>> Fine; // by predicate
};

struct Survey {
  std::map<std::string, Survivor> Survivors; // functions, variables and aliases, by name
  // Is every loop found again in its own function, and every function one of the unit's?
  // Elsewhere what is said of one function may be about another.
  bool Separate = true;
};

// The survivors of a unit in its simplified module, as yet without loops.
Survey survey(const llvm::Module &Unoptimised, const llvm::Module &Simplified);

} // namespace whyhot::ir
