// What this and the parameters of a callee are bound to by a call or a
// construction.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace whyhot::ast {

// Null where that is no expression.
const clang::Expr *objectOf(const clang::Expr *Call);
const clang::Expr *argumentFor(const clang::Expr *Call, const clang::ParmVarDecl *P);

} // namespace whyhot::ast
