// Reading a value before the loop follows pointers that a loop without
// iterations would not have followed: which of them are known to point to
// something there.
#pragma once

#include "ast/facts/flow.h"
#include "fix/source.h"

namespace whyhot::fix {

class NonNull {
public:
  NonNull(const ast::FunctionFacts &F, const ast::Loop &L, const Source &S);
  // Adds an assumption for each pointer that the expression follows and that
  // nothing shows to be good.
  void require(const clang::Expr *E, const ast::FunctionFacts &F, std::vector<Remark> &Assumptions);

private:
  // Pointers that the statement follows on every path through it.
  void follow(const clang::Stmt *S);
  void before(const clang::Stmt *S);
  void guard(const clang::Expr *Condition, bool Holds);
  void note(const clang::Expr *Pointer);
  bool isKnown(const clang::Expr *Pointer) const;

  const clang::SourceManager &SM;
  const Source &S;
  struct Fact {
    const clang::VarDecl *Variable;
    unsigned Since; // offset in the file
  };
  std::vector<Fact> Facts;
  std::vector<Fact> Assignments;
  std::set<std::string> Said;
};

} // namespace whyhot::fix
