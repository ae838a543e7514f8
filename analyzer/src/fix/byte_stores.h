// Stores of the bytes of one integer, one by one, as they are written in the
// source: a loop over the bytes, or statements that follow each other.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/FoldingSet.h"

#include <vector>

namespace whyhot::fix {

// Coefficient * i + Constant.
struct Linear {
  int64_t Coefficient = 0, Constant = 0;
};

// Index = the terms that vary + Linear.
struct Index {
  llvm::FoldingSetNodeID Rest;
  std::vector<const clang::Expr *> Terms;
  Linear L;
};

// N bytes of Value at Base[Terms + First], in the order of growing addresses
// from the low byte (Little) or from the high one.
struct ByteStores {
  const clang::Stmt *From, *To;
  const clang::Expr *Base;
  Index At;
  const clang::Expr *Value;
  unsigned N;
  bool Little;
  const clang::BinaryOperator *Store;
};

// All that are within the statement, whatever else it does.
std::vector<ByteStores> findByteStores(const clang::Stmt *S, clang::ASTContext &C);

} // namespace whyhot::fix
