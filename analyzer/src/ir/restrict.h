// Small modules: a few functions of a unit with everything that may be inlined
// into them. The worlds of a unit differ in few functions, and compiling only
// those is most of what makes them cheap.
#pragma once

#include "ir/predicate.h"

#include "llvm/IR/Module.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace whyhot::ir {

using FunctionSet = std::set<const llvm::Function *>;

// The functions that one of the predicates may concern: they or something they
// may inline hold a blamed store, and they or something they may inline loop.
FunctionSet concerned(const llvm::Module &M, const std::vector<const Predicate *> &Ps);

// The functions of the module that have these names, or the name of what a
// pass made of them ("f.specialized.1").
FunctionSet named(const llvm::Module &M, const std::set<std::string> &Names);

// A copy of the module in which only Roots and their callees, transitively,
// have bodies. The roots survive dead-code elimination, and no callee becomes
// cheaper to inline because its other callers are missing.
std::unique_ptr<llvm::Module> cloneWith(const llvm::Module &M, const FunctionSet &Roots);

} // namespace whyhot::ir
