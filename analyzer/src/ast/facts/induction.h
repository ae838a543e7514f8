// The variable that counts a loop's iterations, and how far an index moves with it.
#pragma once

#include "ast/facts/loops.h"

#include "clang/AST/ASTContext.h"

namespace whyhot::ast {

// The variable that an expression is; null where it is something else.
const clang::VarDecl *variable(const clang::Expr *E);

// Does a statement write to the variable, or take its address?
bool writes(const clang::Stmt *S, const clang::VarDecl *V);

// What a counted loop counts: for (…; i < n; i++), by steps of one either way. Null
// where the loop is another, or its body changes the variable.
const clang::VarDecl *counterOf(const Loop &L);

// The bound that the counter is compared with; null where there is none.
const clang::Expr *boundOf(const Loop &L, const clang::VarDecl *Counter);

bool mentions(const clang::Stmt *S, const clang::ValueDecl *D);

// How far an index moves when a variable grows by one.
struct Stride {
  enum Kind { None, Constant, Symbol, Unknown } What = None;
  int64_t Elements = 0;                // of a constant
  const clang::Expr *Factor = nullptr; // of a symbol: what the variable is multiplied with
};

// The stride of a sum of products; Unknown for anything else that has the variable.
Stride strideOf(const clang::Expr *Index, const clang::VarDecl *V, const clang::ASTContext &C);

} // namespace whyhot::ast
