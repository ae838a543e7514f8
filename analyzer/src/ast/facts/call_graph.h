// Which functions of the unit are called in loops, and whose addresses are taken.
#pragma once

#include "ast/facts/loops.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace whyhot::ast {

class CallGraph {
public:
  // To be called with the body of every function.
  void see(const clang::FunctionDecl *F, const LoopNest &Loops);

  // Called in a loop of the unit, or by a function that is.
  bool isInLoop(const clang::FunctionDecl *F) const;
  // Something may call it that is no call of its name: its parameters are fixed.
  bool isTaken(const clang::FunctionDecl *F) const { return Taken.contains(F->getCanonicalDecl()); }

private:
  void visit(const clang::Stmt *S, const clang::FunctionDecl *In, const LoopNest &Loops, const clang::Stmt *Callee);

  llvm::DenseSet<const clang::FunctionDecl *> Looped, Taken;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<const clang::FunctionDecl *>> Callers;
};

} // namespace whyhot::ast
