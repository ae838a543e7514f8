// Walks a tree. clang's RecursiveASTVisitor is 12 to 17 seconds of compile time wherever it
// is used: here it is compiled once, and calls virtual functions. (clang 20 has such a one,
// DynamicRecursiveASTVisitor.)
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/TypeLoc.h"

namespace whyhot::ast {

// What a walk goes into beside what the source spells out.
struct Beyond {
  bool Instantiations = false; // of templates
  bool Implicit = false;       // what the compiler adds: the variables of a range-for, default members
};

// A walk calls decl, stmt and type for each node, before the nodes below it. From traverse
// one can do something before and after a declaration, or pass over it.
class Walk {
public:
  explicit Walk(Beyond B = {}) : Goes(B) {}
  Walk(const Walk &) = delete;
  Walk &operator=(const Walk &) = delete;

  virtual void traverse(clang::Decl *D);
  void traverse(clang::TypeLoc T);

  const Beyond Goes;

protected:
  ~Walk() = default;

private:
  friend class Walker;
  virtual void decl(clang::Decl *) {}
  virtual void stmt(clang::Stmt *) {}
  virtual void type(clang::TypeLoc) {}
};

} // namespace whyhot::ast
