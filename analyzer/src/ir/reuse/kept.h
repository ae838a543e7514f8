// The analyses of units that an editor has analysed after each save: what was said of a
// function is said again where nothing that it depends on has changed, on the lines where
// it now stands. Only the rest of the unit is optimised and compiled in other worlds.
//
// The answer is that of an analysis of the whole unit, which is made where there is doubt:
// the module's own data has changed, a loop was found in another function than its own, a
// line's function is not certain, or a function is back that nobody had called before.
#pragma once

#include "ir/reuse/parts.h"
#include "ir/worlds.h"

#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace whyhot::ir::reuse {

class Kept {
public:
  // Unit tells units apart. Options that are not worth it are answered without. Whole has
  // all of it analysed, and kept for the next.
  Result analyse(llvm::Module &M, llvm::TargetMachine &TM, const Options &O, const std::string &Unit, bool Whole);

private:
  // Where functions begin (file and line), by the name that positions have them under. With
  // line tables alone, several local ones may have the same.
  using Begins = std::map<std::string, std::set<std::pair<std::string, unsigned>>>;

  // What was said of a definition.
  struct Said {
    Hash Whole;
    bool Survives = false;
    Survivor Is;
    std::vector<Candidate> Candidates;
  };

  struct Entry {
    std::string Unit;
    Hash OfModule;
    Begins Where;
    std::map<std::string, Said> Of;
  };

  static Begins beginsOf(const llvm::Module &M);
  static Entry moved(const Entry &E, const Parts &P, const llvm::Module &M);
  static void enter(Entry &E, const Parts &P, const llvm::BitVector &Which, const Survey &S, const Result &R);
  static std::optional<Result> gather(const Entry &E, const llvm::Module &M, const Options &O);
  std::optional<Result> again(llvm::Module &M, llvm::TargetMachine &TM, const Options &O, const Parts &P, Entry &E);

  friend class Mover;

  std::list<Entry> Entries; // the one that was used last is the first
};

} // namespace whyhot::ir::reuse
