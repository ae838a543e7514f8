// What a statement writes to, and which types alias everything: clang's own choice
// of the TBAA tag "omnipotent char" (CodeGenTBAA), asked of the AST.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace whyhot::ast {

// The operand that a built-in assignment, ++ or -- writes to; nullptr where the
// statement is none of them.
const clang::Expr *writtenBy(const clang::Stmt *S);

// The bit-field that an lvalue names; nullptr where it is something else.
const clang::FieldDecl *bitFieldOf(const clang::Expr *LValue);

// Does a store of a scalar of this type carry the tag of char? It does for char
// in all its signs, std::byte, an enum without linkage, vectors and may_alias
// types; it does not for char8_t, bool and an enum with linkage.
bool isCharLike(clang::QualType T, const clang::ASTContext &C);

// Does a store to this lvalue clobber memory of any type? Its type may say so,
// or the union or may_alias record it is part of. A plain member of a struct has
// the struct in its tag and clobbers nothing else, whatever its type.
bool storesAsChar(const clang::Expr *LValue, const clang::ASTContext &C);

} // namespace whyhot::ast
