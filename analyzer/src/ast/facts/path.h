// Paths name memory: two accesses with the same path, with nothing assigned in
// between that the path depends on, are accesses of the same location.
//
// A key is a root and steps. Roots: "T;" is this, "V<address>;" a variable,
// "?<address>;" something that no other path equals. Steps: "*" follows a
// pointer or a reference, ".<address>" selects a field, "[…]" an element. The
// key of a value is the key of the lvalue it was loaded from.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace whyhot::ast {

struct Path {
  std::string Key;
  // Keys of everything whose content decides where the path leads.
  llvm::SmallVector<std::string, 4> Cells;
  const clang::VarDecl *Root = nullptr;
  const clang::FieldDecl *Field = nullptr; // the last field on the way
  std::string Offset;                      // of a pointer value, in elements
  bool Address = false;                    // the value is the address of the lvalue
  bool Exact = true;                       // evaluated twice it leads to the same place
  bool Cast = false;                       // went through a cast to another type
  bool Temporary = false;                  // an object of this full expression alone

  bool isThis() const { return Key.starts_with("T;"); }
  // Part of the root object itself, no pointer or reference between.
  bool isDirect() const;
  // The key of the object that the last pointer on the way leads to.
  llvm::StringRef object() const;
};

std::string keyOf(const clang::VarDecl *V);

class Callees;

// Makes paths of expressions. Calls of inline accessors are followed.
class Paths {
public:
  explicit Paths(Callees &K) : K(K) {}
  Path lvalue(const clang::Expr *E);
  Path value(const clang::Expr *E);
  // The lvalue that a pointer leads to.
  Path pointee(const clang::Expr *Pointer);
  // The path of a callee's expression as its caller sees it.
  Path inCaller(const Path &P, const clang::Expr *Call);
  // What a pointer or a reference leads to, given the path of its value.
  static Path deref(Path Pointer);
  // A path that no other equals.
  static Path unknown(const clang::Expr *E);

private:
  Path call(const clang::CallExpr *E);
  Path variable(const clang::DeclRefExpr *E);
  Path arithmetic(const clang::BinaryOperator *E);

  Callees &K;
  unsigned Depth = 0;
};

// What this and a parameter are bound to by a call or a construction; null
// where that is no expression.
const clang::Expr *objectOf(const clang::Expr *Call);
const clang::Expr *argumentFor(const clang::Expr *Call, const clang::ParmVarDecl *P);

} // namespace whyhot::ast
