// What a loop may change: every store and call in it held against a value that
// is to be read once before it.
//
// What counts as shown: a scalar changes only by a store of its own type, of a
// char-like type, or by a call that gets at its object. A library class keeps
// its own fields to itself. A store of bytes whose target the function does not
// show is an assumption, for a person to vouch for.
#pragma once

#include "ast/facts/flow.h"
#include "fix/source.h"
#include "fix/value.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace whyhot::fix {

struct Judgement {
  enum Kind {
    Stays,
    Assumed, // unless a store or call reaches it that is not known to
    Varies,  // the loop's own variables: no news
    Updates, // the loop assigns it by its own name, and nothing else can change it
    Changes, // the loop really changes it, or a call could
  };
  Kind What = Stays;
  std::vector<Remark> Why;
};

class Changes {
public:
  Changes(const ast::FunctionFacts &F, const ast::Locals &Own, const Source &S, bool StrictAliasing)
      : F(F), Own(Own), S(S), Strict(StrictAliasing) {}

  using Statements = llvm::DenseSet<const clang::Stmt *>;
  // All of it but the statements that lead out of it.
  void addLoop(const ast::Loop &L, Statements Exits = {});
  void addStatement(const clang::Stmt *St) { visit(St); }
  Judgement judge(const Value &V) const;
  // Does the loop get at an object, the last of what V reads, only by the expressions
  // that IsOwn names, neither writing nor reading it otherwise? What leads to it stays.
  Judgement judgeAlone(const Value &V, llvm::function_ref<bool(const clang::Expr *)> IsOwn) const;

private:
  void visit(const clang::Stmt *St);
  void copied(const clang::Stmt *St);
  void addCall(const clang::Expr *Call, const clang::FunctionDecl *F);
  Judgement::Kind store(const ast::Effect &X, const ast::Effect &R, const Value &V, std::string &Why) const;
  Judgement::Kind record(const ast::Effect &X, const ast::Effect &R, std::string &Why) const;
  Judgement::Kind call(const ast::Effect &X, const ast::Effect &R, const Value &V, std::string &Why) const;
  Judgement::Kind load(const ast::Effect &X, const ast::Effect &Object, const Value &V, std::string &Why) const;
  Judgement::Kind handedOut(const clang::Expr *Call, const ast::Effect &Object, const Value &V, std::string &Why) const;
  void note(Judgement &J, Judgement::Kind K, const std::string &Why, const clang::Expr *Site) const;
  Judgement::Kind bytes(const ast::Effect &X, const ast::Effect &R, const Value &V, std::string &Why) const;
  bool isOwnStorage(const ast::Effect &X) const;
  bool mayWriteThrough(clang::QualType T, const ast::Effect &R) const;

  const ast::FunctionFacts &F;
  const ast::Locals &Own;
  const Source &S;
  const bool Strict;
  std::vector<ast::Effect> All;
  std::vector<const clang::CallExpr *> Readers; // of memory, and nothing else
  Statements Exits;
};

} // namespace whyhot::fix
