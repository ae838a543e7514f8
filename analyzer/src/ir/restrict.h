// Copies of a module, whole or of a few functions. The worlds of a unit differ in
// few functions, and compiling only those is most of what makes them cheap.
//
// Copies share the scopes and positions of the debug information with what they
// were copied from: a context keeps metadata until it dies, so that copies of it
// would stay behind every copy of a module.
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

std::unique_ptr<llvm::Module> cloneWhole(const llvm::Module &M);

// A copy of the module in which only Roots have bodies; they survive dead-code
// elimination. A variable of the unit that others may change is opaque: with
// their bodies gone it would look like a constant.
std::unique_ptr<llvm::Module> extract(const llvm::Module &M, const FunctionSet &Roots);

// A copy of the unoptimised module with these definitions alone, as they are; private
// constants are kept too.
std::unique_ptr<llvm::Module> only(const llvm::Module &M, const std::set<const llvm::GlobalValue *> &Keep);

// A copy of the unoptimised module that holds Roots with what was inlined into
// them in Simplified, the same unit after its first half of the pipeline. What was
// left a call there is a declaration with the attributes that were found out of
// its body. The roots survive, and no callee becomes cheaper to inline because its
// other callers are missing.
std::unique_ptr<llvm::Module> withInlined(const llvm::Module &M, const llvm::Module &Simplified,
                                          const FunctionSet &Roots);

} // namespace whyhot::ir
