// The flow of packed bits (std::vector<bool>, its iterators, containers of them)
// through a unit: which declarations have such a type, which must keep the same
// type as which others, what has to be edited when one of them changes, and what
// forbids it.
//
// Method: type constraints, as in refactorings that give variables another class
// (Tip, Kiezun, Bäumer: "Refactoring for Generalization Using Type Constraints",
// OOPSLA 2003), with equality alone. A node is a declaration, or what a function
// returns. Every expression of such a type ties the nodes it is made of to the one
// that it goes to: `a = b` and `a == b` tie a and b, `f(a)` ties a and the
// parameter, `return a` ties a and what the function returns. An element is where
// it ends: its value is a bool before and after.
//
// Example. struct G { std::vector<bool> seen; }; void swap(G &g, std::vector<bool>
// &old) { g.seen.swap(old); }: G::seen and the parameter old are tied, so both
// change or none.
#pragma once

#include "fix/source.h"

#include "clang/AST/Mangle.h"
#include "llvm/ADT/MapVector.h"

namespace whyhot::fix {

// Does the type pack bits somewhere in it?
bool packsBits(clang::QualType T);
// Is it a proxy of one element?
bool isBitProxy(clang::QualType T);

class Bits {
public:
  // New is the spelling of the new element type. Converts says that a bool becomes
  // an element and an element a bool without a cast, which is so of a class.
  Bits(const Source &S, std::string New, bool Converts);

  // All nodes of the unit, in the order of the source.
  std::vector<Slot> slots();
  // The nodes that an expression is made of, by their identities.
  std::vector<std::string> of(const clang::Expr *E);
  std::vector<std::string> of(const clang::Decl *D);

private:
  friend class BitsVisitor;
  // One node while it is looked at.
  struct Node {
    Slot Out;
    clang::SourceLocation At;
  };
  // What an expression ties together, with what changes beside the declarations.
  struct Tie {
    std::vector<Node *> Nodes;
    std::vector<Edit> Edits;
    std::vector<Remark> Refusals;
    std::vector<Definition> Definitions;
  };

  // Declarations (bits.cpp).
  Node *node(const clang::Decl *D, bool Returned = false);
  void declare(const clang::DeclaratorDecl *D);
  void declareReturn(const clang::FunctionDecl *F);
  void declareTypedef(const clang::TypedefNameDecl *D);
  void spelled(clang::TypeLoc T, Tie &Into, const clang::Decl *D);
  void settle(const Tie &T);
  void edit(clang::TypeLoc Element, const clang::Decl *Top, Tie &Into);
  void initialised(Node *N, const clang::Expr *Init);
  bool isTemplated(const clang::Decl *D) const;
  std::string identity(const clang::Decl *D, bool Returned, bool &Shared);
  void place(Node &N, const clang::Decl *D);

  // Uses (bit_uses.cpp).
  void use(const clang::Expr *E);
  void call(const clang::Expr *E);
  void roots(const clang::Expr *E, Tie &Into);
  void rootsOfArguments(const clang::CallExpr *E, Tie &Into);
  void construction(const clang::CXXConstructExpr *E, Tie &Into);
  void sink(const clang::Expr *Top, Tie &Into);
  void argument(const clang::Expr *E, const clang::FunctionDecl *F, unsigned Index, Tie &Into);
  void forbid(Tie &Into, const llvm::Twine &Why, const clang::Stmt *At);

  // Uses of an element (bit_elements.cpp).
  void element(const clang::Expr *E, Tie &Into);
  void loopVariable(const clang::VarDecl *V, Tie &Into);
  void read(const clang::Expr *Value, const clang::Expr *Element, Tie &Into);
  void stored(const clang::Expr *Value, Tie &Into);
  void wrap(const clang::Expr *E, const std::string &Before, Tie &Into);
  bool inInstantiation(const clang::Stmt *E);

  const Source &S;
  clang::ASTContext &C;
  const std::string New;
  const bool Converts;
  clang::ASTNameGenerator Names;
  llvm::MapVector<std::pair<const clang::Decl *, unsigned>, std::unique_ptr<Node>> Nodes;
  llvm::DenseSet<const clang::Expr *> Done;
  const clang::Decl *Top = nullptr; // of the unit, around what is looked at
};

} // namespace whyhot::fix
