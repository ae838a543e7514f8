// What the optimiser knows about a function's own objects: which of them
// nothing outside can reach, and where local pointers point.
#pragma once

#include "ast/facts/callees.h"

#include "llvm/ADT/DenseSet.h"

namespace whyhot::ast {

class Locals {
public:
  Locals(const clang::FunctionDecl *F, Callees &K);

  // An object of this function whose address nothing else has.
  bool isPrivate(const clang::VarDecl *V) const;
  // Is a load through this path a load that stores elsewhere can disturb?
  bool isShared(const Path &P) const;
  // Does the compiler load it again after such a store? Also what a function got the
  // address of that keeps none, which only its name tells: n in sscanf(s, "%d", &n).
  bool isLoaded(const Path &P) const;
  // Does a store through this path reach only memory of this function: a
  // private array, or what new or malloc just gave?
  bool isOwnMemory(const Path &P) const;
  // The object that a local pointer was cast from, or an empty path.
  AccessPath castFrom(const clang::VarDecl *V) const;
  static bool isRestrict(const clang::VarDecl *V);

private:
  bool isLocal(const clang::VarDecl *V) const;
  void scan(const clang::Stmt *S);
  void scanCall(const clang::CallExpr *E);
  void escape(const clang::Expr *E);
  void note(const clang::VarDecl *V, const clang::Expr *Init);

  struct Origin {
    Path From;
    bool Fresh = false;
    bool Reassigned = false;
    bool Known = false;
  };
  const clang::FunctionDecl *F;
  Callees &K;
  llvm::DenseSet<const clang::VarDecl *> Escaped;
  llvm::DenseSet<const clang::VarDecl *> Given; // to functions that keep no address
  llvm::DenseMap<const clang::VarDecl *, Origin> Pointers;
};

} // namespace whyhot::ast
