// A change of the element type of a container or an array: which uses take it,
// which need a cast, and which forbid it.
#pragma once

#include "fix/uses.h"

#include "clang/AST/StmtCXX.h"

namespace whyhot::fix {

class Elements {
public:
  // Old is the element type as it is; a read that asks for it is cast back to it.
  Elements(const Source &S, clang::QualType Old, std::string OldName, std::string NewName, Answer &Out)
      : S(S), C(S.C), Old(Old), OldName(std::move(OldName)), NewName(std::move(NewName)), Out(Out) {}

  // Changes the declaration and everything that must change with it.
  void change(const clang::ValueDecl *D);
  // The element type of a container, an array or a pointer; null where T is none.
  clang::QualType elementOf(clang::QualType T) const;

private:
  void declaration(const clang::ValueDecl *D);
  void use(const clang::Expr *E);
  void container(const clang::Expr *E);
  void member(const clang::MemberExpr *M, const clang::CallExpr *Call);
  void element(const clang::Expr *E);
  void loopVariable(const clang::CXXForRangeStmt *For);
  void read(const clang::Expr *Value, const clang::Expr *Element);
  void pointer(const clang::Expr *E);
  void construction(const clang::Expr *E);
  void forbid(const llvm::Twine &Why, const clang::Expr *E);
  void wrap(const clang::Expr *E, const std::string &Before);
  void follow(const clang::Expr *E, const clang::Expr *Other, const clang::Expr *Whole);

  const Source &S;
  clang::ASTContext &C;
  const clang::QualType Old;
  const std::string OldName, NewName;
  Answer &Out;
  std::set<const clang::Decl *> Done;
  std::set<const clang::Stmt *> Wrapped;
};

// The variable or member that an lvalue is, or is an element of.
const clang::ValueDecl *rootOf(const clang::Expr *E);

} // namespace whyhot::fix
