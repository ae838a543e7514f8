// The loops of one function body and which statement is in which.
#pragma once

#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace whyhot::ast {

struct Loop {
  const clang::Stmt *Statement;
  const clang::Stmt *Body;
  const clang::Expr *Condition; // null in for (;;)
  const Loop *Parent = nullptr;
  unsigned Depth = 1;

  bool isWithin(const Loop *Outer) const;
};

// Where a statement is.
struct Position {
  const Loop *In = nullptr;        // the innermost loop whose iterations run it
  const Loop *Condition = nullptr; // the loop in whose condition it is
};

class LoopNest {
public:
  explicit LoopNest(const clang::Stmt *Body);
  Position of(const clang::Stmt *S) const { return Where.lookup(S); }
  const std::vector<std::unique_ptr<Loop>> &all() const { return Loops; }

private:
  void visit(const clang::Stmt *S, Position At);

  std::vector<std::unique_ptr<Loop>> Loops;
  llvm::DenseMap<const clang::Stmt *, Position> Where;
};

} // namespace whyhot::ast
