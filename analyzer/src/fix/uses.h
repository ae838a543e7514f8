// Every use of a declaration in the unit, and what surrounds a use: the ground
// on which a change of type is judged.
#pragma once

#include "fix/source.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace whyhot::fix {

// The expressions of the unit that name a variable or a member.
std::vector<const clang::Expr *> usesOf(const clang::ValueDecl *D, clang::ASTContext &C);

// The statement around one; null where that is a declaration or nothing.
const clang::Stmt *parentOf(const clang::Stmt *S, clang::ASTContext &C);
// The variable that the statement initialises, directly.
const clang::VarDecl *initialised(const clang::Stmt *S, clang::ASTContext &C);
// Up through parentheses and conversions that the compiler adds.
const clang::Expr *outermost(const clang::Expr *E, clang::ASTContext &C);

// Does nothing around the value ask for its exact type, so that any integer type
// of the same value does: arithmetic, a condition, a conversion to a type that is
// spelled out? Overloads, templates and auto do ask.
bool anyIntegerDoes(const clang::Expr *Value, clang::ASTContext &C);

// Is the result of the expression not used?
bool isDiscarded(const clang::Expr *E, clang::ASTContext &C);

// Does no other unit see the declaration: a local variable, one with internal
// linkage, a member of a class that the main file alone defines? Says why not.
std::optional<std::string> seenElsewhere(const clang::ValueDecl *D, const Source &S);

// Where the declaration spells the builtin or typedef that is the element type:
// the argument of its innermost template, or its own type.
struct Spelling {
  clang::CharSourceRange Where;
  std::string Text;
};
std::optional<Spelling> elementSpelling(const clang::DeclaratorDecl *D, const Source &S);

// Is it an expression around another that changes nothing of its value?
bool isWrapper(const clang::Stmt *P);
// The function or the lambda's call that a statement is in.
const clang::FunctionDecl *functionAround(const clang::Stmt *S, clang::ASTContext &C);

} // namespace whyhot::fix
