// What a statement does to memory, in the order in which it happens.
#pragma once

#include "ast/facts/path.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include <vector>

namespace whyhot::ast {

struct Summary;

struct Effect {
  enum Kind {
    Read,      // a load of a scalar
    Store,     // a store that clobbers memory of its own type
    CharStore, // a store that may clobber memory of any type
    Opaque,    // a call or a copy of which nothing is known
  };
  Kind What;
  Path Where;
  clang::QualType Type;
  const clang::Expr *Site = nullptr;  // in the function looked at; null for a declaration
  const clang::Expr *Inner = nullptr; // in the inline callee that does it, else Site
};

// The effects of one statement itself, its operands excluded: the caller visits
// those first. Calls of transparent functions have the effects of their bodies.
class Effects {
public:
  Effects(const clang::ASTContext &C, Callees &K) : C(C), K(K), P(C, K) {}
  void of(const clang::Stmt *S, std::vector<Effect> &Out);
  // Does new only construct, in memory that is there already?
  static bool isPlacement(const clang::CXXNewExpr *E);
  Paths &paths() { return P; }

private:
  void load(const clang::Expr *LValue, const clang::Expr *Site, std::vector<Effect> &Out);
  void store(const clang::Expr *LValue, const clang::Expr *Site, std::vector<Effect> &Out);
  void call(const clang::CallExpr *E, std::vector<Effect> &Out);
  void inlined(const Summary &S, const clang::Expr *Call, std::vector<Effect> &Out);
  void construct(const clang::CXXConstructExpr *E, std::vector<Effect> &Out);

  const clang::ASTContext &C;
  Callees &K;
  Paths P;
};

} // namespace whyhot::ast
