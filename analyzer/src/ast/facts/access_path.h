// An access path: where memory is, as a root and the steps from there. Two
// accesses with the same path, with nothing written in between that the path
// depends on, are accesses of the same location. The idea is that of Larus and
// Hilfinger, "Detecting conflicts between structure accesses" (PLDI 1988).
//
//   p->rows[i].x    p · follow · .rows · follow · [i] · .x
//
// A path is a value: it is copied, compared and hashed. Declarations, expressions
// and terms are named by their address, which is theirs alone in one unit.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

namespace whyhot::ast {

class Term;

class AccessPath {
public:
  class Step {
  public:
    enum Kind : uint8_t {
      Follow,  // a pointer or a reference to what it points to
      Field,   // a struct to a field
      Element, // what a pointer or an array leads to, to an element from there on
    };
    Kind kind() const { return What; }
    const clang::FieldDecl *field() const {
      return What == Field ? static_cast<const clang::FieldDecl *>(Of) : nullptr;
    }
    const Term *index() const { return What == Element ? static_cast<const Term *>(Of) : nullptr; }
    bool operator==(const Step &) const = default;
    friend llvm::hash_code hash_value(const Step &S) { return llvm::hash_combine(S.What, S.Of); }

  private:
    friend AccessPath;
    Step(Kind What, const void *Of) : What(What), Of(Of) {}

    Kind What;
    const void *Of;
  };
  using Steps = llvm::ArrayRef<Step>;

  AccessPath() = default; // leads nowhere
  static AccessPath ofThis() { return {This, nullptr}; }
  static AccessPath of(const clang::VarDecl *V) { return {Variable, V->getCanonicalDecl()}; }
  // A pointer that is computed, or a number.
  static AccessPath computed(const Term *T) { return {Computed, T}; }
  // An object of one full expression alone.
  static AccessPath temporary(const clang::Expr *E) { return {Temporary, E}; }
  // What no path of another expression equals.
  static AccessPath unknown(const clang::Expr *E) { return {Unknown, E}; }

  void follow() { Way.push_back({Step::Follow, nullptr}); }
  void select(const clang::FieldDecl *F) { Way.push_back({Step::Field, F}); }
  // The first element of what a pointer leads to is what it leads to.
  void select(const Term *Index);
  void add(Step S) { Way.push_back(S); }
  bool endsIn(Step::Kind K) const { return !Way.empty() && Way.back().kind() == K; }
  // Takes the last step back.
  Step pop() { return Way.pop_back_val(); }

  bool operator==(const AccessPath &) const = default;
  friend llvm::hash_code hash_value(const AccessPath &P) {
    return llvm::hash_combine(P.From, P.Root, llvm::hash_combine_range(P.Way.begin(), P.Way.end()));
  }
  struct Hash {
    size_t operator()(const AccessPath &P) const { return hash_value(P); }
  };
  void Profile(llvm::FoldingSetNodeID &ID) const;

  // What it begins at: one of these, or none.
  bool empty() const { return From == Nowhere; }
  bool isThis() const { return From == This; }
  const clang::VarDecl *variable() const {
    return From == Variable ? static_cast<const clang::VarDecl *>(Root) : nullptr;
  }
  const Term *term() const { return From == Computed ? static_cast<const Term *>(Root) : nullptr; }

  AccessPath root() const { return {From, Root}; }

  Steps steps() const { return Way; }
  // The last field on the way.
  const clang::FieldDecl *field() const { return lastField(Way); }
  // How many pointers and references are followed.
  unsigned follows() const;
  // An element of anything stands on the way.
  bool hasElement() const;

  // The object is what the last pointer on the way leads to, else the root's own.
  // A path is direct when it stays in the root's own object.
  bool isDirect() const { return follows() == 0; }
  bool isTemporary() const { return From == Temporary && isDirect(); }
  // The way from the object on.
  Steps within() const;
  // Its first steps, as long as they are fields: which member of the object it is.
  Steps members() const;
  // The field of the object that this is, or is an element of.
  const clang::FieldDecl *fieldWithin() const { return lastField(within()); }
  // Both are in the same object, one that a pointer led to.
  bool sharesObjectWith(const AccessPath &Other) const;

  // Does the way to this begin with all of the other?
  bool startsWith(const AccessPath &Other) const;
  // Is it the object that the other leads to, a part of that, or reached by a
  // pointer in it?
  bool leadsThrough(const AccessPath &Object) const;
  // Of two direct paths: may one be the other or a part of it?
  bool mayOverlap(const AccessPath &Other) const;
  // Would a write to the other, or to all of what it is part of, change where this
  // leads: is a pointer or an index on the way read from there?
  bool dependsOn(const AccessPath &Written) const;
  // Is there nothing that a write could change it by?
  bool isFixed() const;

private:
  enum Origin : uint8_t { Nowhere, This, Variable, Computed, Temporary, Unknown };
  AccessPath(Origin From, const void *Root) : From(From), Root(Root) {}
  static const clang::FieldDecl *lastField(Steps Of);

  Origin From = Nowhere;
  const void *Root = nullptr;
  llvm::SmallVector<Step, 4> Way;
};

} // namespace whyhot::ast
