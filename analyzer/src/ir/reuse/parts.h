// Which definitions of an unoptimised module the passes' work on another depends on.
//
// What is known flows from a callee to its callers: it is inlined, or its effects are.
// Towards a callee it flows where all uses are in sight: arguments of a local function are
// known from its calls, and the last call of one is inlined for free; what is stored in a
// local variable is what others load. So a definition depends on what it refers to, a
// local one also on what refers to it. Functions that call each other in a circle are
// inlined in an order that those who call them decide: they count as local.
//
// Closed under this, a part of a module is optimised as it is within the whole.
#pragma once

#include "ir/reuse/fingerprint.h"

#include "llvm/ADT/BitVector.h"

#include <map>

namespace whyhot::ir::reuse {

class Parts {
public:
  explicit Parts(const llvm::Module &M);

  struct Part {
    const llvm::GlobalValue *G;
    std::vector<unsigned> Needs; // indices of the parts that it depends on at once
    Hash Whole;                  // of all that it depends on, itself too
  };

  // In the order of the module: functions, then variables and aliases.
  const std::vector<Part> &all() const { return List; }
  Hash ofModule() const { return OfModule; }

  // All that these depend on, themselves too.
  llvm::BitVector closure(const llvm::BitVector &Of) const;

private:
  void add(const llvm::GlobalValue &G, Fingerprints &F);
  void connect();
  std::vector<bool> inCircles() const;

  std::vector<Part> List;
  std::vector<Fingerprint> Prints;
  std::map<const llvm::GlobalValue *, unsigned> Index;
  Hash OfModule;
};

} // namespace whyhot::ir::reuse
