// What a type lets a store or a callee get at: which scalars may stand for each
// other, which objects a record holds and which a pointer leads to.
#pragma once

#include "ast/facts/effects.h"

#include "clang/AST/DeclCXX.h"

namespace whyhot::fix {

// Is the member one of several in the same memory?
bool inUnion(const clang::FieldDecl *F);

// May a store of the one type change an object of the other? An unknown type may
// be any.
bool sameScalar(clang::QualType A, clang::QualType B, const clang::ASTContext &C);

// Could a callee that is given an object of this type get from it to an object of
// the class (any class where Owner is null)? Through pointers, members, bases and
// the template arguments of library classes: from std::vector<Shape> & to what
// Shape points to. What is not seen, is deep or can run other code leads
// everywhere; a scalar leads nowhere.
bool leadsTo(clang::QualType T, const clang::CXXRecordDecl *Owner, unsigned Depth = 0);

// Is what R reads somewhere in an object of the record type: the field itself, or,
// for what is no field, any scalar of its type?
bool holds(clang::QualType Record, const ast::Effect &R, const clang::ASTContext &C, unsigned Depth = 0);

} // namespace whyhot::fix
