// Writing back: what a loop changes in memory by one name lives in a local meanwhile,
// which is stored again on every way out of the loop.
#pragma once

#include "fix/changes.h"
#include "fix/kinds.h"

#include "clang/AST/ParentMap.h"

namespace whyhot::fix {

class WriteBack {
public:
  WriteBack(const ast::FunctionFacts &F, const Context &C, const ast::Loop &L, const ast::Locals &Own,
            const clang::ParentMap &Parents);

  // An object for which a local can stand in.
  struct Object {
    Value V;
    const clang::Expr *First;
    std::vector<clang::CharSourceRange> Where; // its name in the loop
    std::vector<Remark> Assumptions;
  };
  const std::vector<Object> &objects() const { return Kept; }
  // What else the loop changes by its own name, with what stands against a local.
  struct Left {
    std::string Text;
    const clang::Expr *First;
    std::string Why;
  };
  const std::vector<Left> &left() const { return Others; }

  // Does the lvalue name one of the objects? In an exit, too.
  bool keeps(const clang::Expr *LValue) const;
  // Will the local stand in the place of the expression?
  bool replaces(const clang::Expr *LValue) const { return Taken.contains(LValue->IgnoreParens()); }
  // The statements that lead out of the loop, before which all is written back.
  const std::vector<const clang::Stmt *> &exits() const { return Exits; }
  // Is the statement after the loop ever reached from it?
  bool runsOut() const { return RunsOut; }

private:
  struct Named {
    const clang::Expr *LValue;
    ast::Path Where;
  };
  void findExits(const clang::Stmt *S, bool Breaks);
  void scan(const clang::Stmt *S);
  void object(const std::string &Why);
  bool isQuiet(const clang::FunctionDecl *F, unsigned Depth = 0) const;
  void consider(const clang::Expr *Written, const Changes &May);
  bool isPlainUse(const clang::Expr *LValue) const;
  bool isUsual(const clang::Expr *E) const;
  bool isHidden(const clang::Expr *LValue) const;
  bool isPossible(const clang::Expr *LValue, const ast::Path &P) const;

  const ast::FunctionFacts &F;
  const Context &C;
  const ast::Loop &L;
  const ast::Locals &Own;
  const clang::ParentMap &Parents;
  std::vector<const clang::Stmt *> Exits;
  bool RunsOut;
  std::string Obstacle; // to any local
  std::vector<Named> Names;
  std::vector<const clang::Expr *> Written;
  std::set<std::string> Declared; // in the loop
  std::vector<Object> Kept;
  llvm::DenseSet<const clang::Expr *> Taken;
  std::vector<Left> Others;
};

} // namespace whyhot::fix
