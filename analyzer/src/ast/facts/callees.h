// What a call of a function does, where its body is at hand and likely to be
// inlined. Answers are kept per unit.
#pragma once

#include "ast/facts/effects.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace whyhot::ast {

struct Summary {
  // Inline all the way down on at least one path: Does is what that path does. A
  // branch that makes an opaque call (a buffer grows) is the path not taken.
  bool Transparent = false;
  bool Whole = false;    // transparent on every path: nothing escapes through it
  bool Linear = false;   // no branch and no loop, and so all the way down
  bool Harmless = false; // reads and writes nothing that matters here, or never returns
  std::vector<Effect> Does;
  std::unique_ptr<Path> Returned; // where a body is a single return
};

class Callees {
public:
  explicit Callees(const clang::ASTContext &C) : C(C), E(C, *this) {}
  const Summary &of(const clang::FunctionDecl *F);
  const Path *returned(const clang::FunctionDecl *F) { return of(F).Returned.get(); }
  Effects &effects() { return E; }

private:
  void fill(const clang::FunctionDecl *F, Summary &S);
  void visit(const clang::Stmt *S, Summary &Out);
  void visitArms(const clang::Stmt *A, const clang::Stmt *B, Summary &Out);
  void visitCall(const clang::FunctionDecl *F, Summary &Out);

  const clang::ASTContext &C;
  Effects E;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<Summary>> Known;
  unsigned Depth = 0;
};

// Will the optimiser have this body at hand where it is called?
bool isInlinable(const clang::FunctionDecl *F);

// A branch or a loop, other than those of disabled assertions.
bool isBranch(const clang::Stmt *S);

// Is the statement dead in every ordinary build: a branch of
// is_constant_evaluated(), do { … } while (false)?
bool isConstantEvaluationOnly(const clang::IfStmt *S);
bool isOnce(const clang::DoStmt *S);

} // namespace whyhot::ast
