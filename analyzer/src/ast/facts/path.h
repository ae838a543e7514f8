// Where expressions lead: the access path of an lvalue, or that which a value was
// loaded from, and what is known of it.
#pragma once

#include "ast/facts/access_path.h"
#include "ast/facts/term.h"

#include "clang/AST/ASTContext.h"

namespace whyhot::ast {

struct Path {
  AccessPath At;
  // A value: the address of what At leads to, not what is stored there; and how
  // many elements from there on it points. An array's first element is one at
  // offset 0; the address of what is no array has no offset.
  bool Address = false;
  const Term *Offset = nullptr;
  bool Exact = true; // evaluated twice it leads to the same place
  bool Cast = false; // went through a cast to another type
};

class Callees;

// Makes paths of expressions. Calls of inline accessors are followed.
class Paths {
public:
  Paths(const clang::ASTContext &C, Callees &K) : C(C), K(K) {}
  Path lvalue(const clang::Expr *E);
  Path value(const clang::Expr *E);
  // The lvalue that a pointer leads to.
  Path pointee(const clang::Expr *Pointer) { return deref(value(Pointer)); }
  // What a pointer or a reference leads to, given the path of its value.
  static Path deref(Path Pointer);
  // The other way: the address of an lvalue.
  static Path address(Path LValue);
  // A path that no other equals.
  static Path unknown(const clang::Expr *E);

  // The value as a part of others.
  const Term *term(const Path &Value);
  static Path computed(const Term *T);
  // A pointer so many elements on, or back.
  Path moved(Path Pointer, const Path &By, bool Back = false);
  Terms &terms() { return Made; }

private:
  Path call(const clang::CallExpr *E);
  Path variable(const clang::DeclRefExpr *E);
  Path member(const clang::MemberExpr *E);
  Path cast(const clang::CastExpr *E);
  Path operation(const clang::UnaryOperator *E);
  Path operation(const clang::BinaryOperator *E);

  const clang::ASTContext &C;
  Callees &K;
  Terms Made;
  static constexpr unsigned MaxDepth = 40; // of calls and references in one another
  unsigned Depth = 0;
};

} // namespace whyhot::ast
