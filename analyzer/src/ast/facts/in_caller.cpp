#include "ast/facts/in_caller.h"

#include "ast/facts/arguments.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

// What a reference is bound to: an address.
Path referred(Paths &P, const Expr *E) {
  Path To = E->isGLValue() ? P.lvalue(E) : P.value(E);
  To.Address = true;
  return To;
}

} // namespace

InCaller::InCaller(Paths &P, const Expr *Call) : P(P), Call(Call) {
  if (const auto *CC = dyn_cast<CXXConstructExpr>(Call))
    Callee = CC->getConstructor();
  else
    Callee = cast<CallExpr>(Call)->getDirectCallee();
  if (const FunctionDecl *Definition = nullptr; Callee && Callee->hasBody(Definition))
    Callee = Definition;
}

std::optional<Path> InCaller::object() {
  const Expr *Object = objectOf(Call);
  if (Object)
    return Object->getType()->isPointerType() ? P.value(Object) : referred(P, Object);
  if (!isa<CXXConstructExpr>(Call))
    return std::nullopt;
  Path New; // the object that comes to be
  New.At = AccessPath::temporary(Call);
  New.Address = true;
  New.Exact = false;
  return New;
}

std::optional<Path> InCaller::argument(const ParmVarDecl *Parm) {
  if (!Callee || Parm->getFunctionScopeIndex() >= Callee->getNumParams() ||
      Callee->getParamDecl(Parm->getFunctionScopeIndex())->getCanonicalDecl() != Parm)
    return std::nullopt;
  const Expr *A = argumentFor(Call, Parm);
  if (!A)
    return std::nullopt;
  return Parm->getType()->isReferenceType() ? referred(P, A) : P.value(A);
}

const std::optional<Path> &InCaller::bound(const AccessPath &Inner) {
  static const std::optional<Path> None;
  const auto *Parm = dyn_cast_or_null<ParmVarDecl>(Inner.variable());
  if (!Parm && !Inner.isThis())
    return None;
  auto [It, New] = Bound.try_emplace(Parm);
  if (New)
    It->second = Parm ? argument(Parm) : object();
  return It->second;
}

// The path's root without its steps. What the way goes on from is the value of a
// pointer, this or a reference.
Path InCaller::root(const Path &Inner) {
  if (const std::optional<Path> &To = bound(Inner.At))
    return *To;
  if (const Term *T = Inner.At.term()) {
    bool Exact = true;
    Path Out = P.computed(term(T, Exact));
    Out.Exact = Exact;
    return Out;
  }
  Path Out;
  Out.At = Inner.At.root();
  Out.Address = Inner.At.steps().empty() && Inner.Address;
  // What is no parameter, and no variable that all functions see, means nothing here.
  const VarDecl *V = Inner.At.variable();
  Out.Exact = V && !V->isLocalVarDeclOrParm();
  return Out;
}

Path InCaller::of(const Path &Inner) {
  Path Out = root(Inner);
  Out.Exact &= Inner.Exact;
  Out.Cast |= Inner.Cast;
  AccessPath::Steps Way = Inner.At.steps();
  if (!Way.empty()) {
    if (Way.front().kind() == AccessPath::Step::Follow) {
      Out = Paths::deref(std::move(Out));
      Way = Way.drop_front();
    }
    for (const AccessPath::Step &S : Way)
      if (const Term *Index = S.index())
        Out.At.select(term(Index, Out.Exact));
      else
        Out.At.add(S);
    Out.Address = Inner.Address;
    Out.Offset = nullptr;
  }
  if (!Inner.Offset)
    return Out;
  const Term *By = term(Inner.Offset, Out.Exact);
  if (Out.Offset)
    return P.moved(std::move(Out), P.computed(By));
  Out.Offset = By;
  return Out;
}

const Term *InCaller::term(const Term *Inner, bool &Exact) {
  switch (Inner->kind()) {
  case Term::Constant:
    return Inner;
  case Term::Value: {
    Path Value;
    Value.At = Inner->path();
    Value.Address = Inner->isAddress();
    Value.Offset = Inner->offset();
    Value = of(Value);
    Exact &= Value.Exact;
    return P.term(Value);
  }
  case Term::Unary:
    return P.terms().unary(UnaryOperatorKind(Inner->opcode()), term(Inner->left(), Exact));
  case Term::Cast:
    return P.terms().cast(Inner->to(), term(Inner->left(), Exact));
  case Term::Binary: {
    const Term *Left = term(Inner->left(), Exact);
    return P.terms().binary(BinaryOperatorKind(Inner->opcode()), Left, term(Inner->right(), Exact));
  }
  }
  llvm_unreachable("a term of no kind");
}

} // namespace whyhot::ast
