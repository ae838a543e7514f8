// The plan of a what-if build: which edits the compiler is to make, and where.
// Package internal/trial/whatif writes it; docs/guide/what-if.md has its form.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace whyhot::whatif {

struct Point {
  std::string File;
  int64_t Line = 0;
  int64_t Column = 0; // 0: any
};

// Positions of an inlining chain, innermost first. It is as long as it has to
// be to reach the user's own code.
using Chain = std::vector<Point>;

enum class World {
  Retyped, // the written objects get a type that aliases nothing else
  Hoisted, // what is loaded again is copied into locals before the loop
};

struct Edit {
  std::string Finding;
  std::string Predicate;
  World In = World::Retyped;
  std::vector<Chain> Loops;    // where they start; for Hoisted
  std::vector<Chain> Accesses; // the blamed ones

  // Must functions be inlined and simplified before the edit can be made? A
  // chain of one position is found in the code as it comes.
  bool late() const;
};

struct Plan {
  // Everything is done as if the edits were made, but they are not: what the
  // double pipeline and the marker do by themselves.
  bool Placebo = false;
  std::string Log; // one line of JSON is appended for every unit
  std::vector<Edit> Edits;

  bool late() const;
};

llvm::Expected<Plan> readPlan(llvm::StringRef Path);

} // namespace whyhot::whatif
