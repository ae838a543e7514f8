// Lvalues, and the calls that lead to one.
#include "ast/facts/path.h"

#include "ast/facts/callees.h"
#include "ast/facts/in_caller.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

// Functions that hand their argument through.
bool isIdentity(const FunctionDecl *F) {
  switch (F->getBuiltinID()) {
  case Builtin::BI__builtin_expect:
  case Builtin::BI__builtin_launder:
  case Builtin::BI__builtin_assume_aligned:
  case Builtin::BI__builtin_addressof:
  case Builtin::BImove:
  case Builtin::BIforward:
  case Builtin::BIas_const:
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
    return true;
  default:
    return false;
  }
}

bool takesAddress(const FunctionDecl *F) {
  switch (F->getBuiltinID()) {
  case Builtin::BI__builtin_addressof:
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
    return true;
  default:
    return false;
  }
}

} // namespace

Path Paths::deref(Path P) {
  if (!P.Address)
    P.At.follow();
  P.Address = false;
  if (P.Offset)
    P.At.select(P.Offset);
  P.Offset = nullptr;
  return P;
}

Path Paths::unknown(const Expr *E) {
  Path P;
  P.At = AccessPath::unknown(E);
  P.Exact = false;
  return P;
}

Path Paths::variable(const DeclRefExpr *E) {
  if (const auto *BD = dyn_cast<BindingDecl>(E->getDecl()))
    return BD->getBinding() && Depth < MaxDepth ? lvalue(BD->getBinding()) : unknown(E);
  const auto *V = dyn_cast<VarDecl>(E->getDecl());
  if (!V)
    return unknown(E);
  Path P;
  P.At = AccessPath::of(V);
  if (!V->getType()->isReferenceType())
    return P;
  // A reference to an own object is that object.
  if (V->isLocalVarDecl() && V->getInit() && Depth < MaxDepth) {
    Depth++;
    Path Bound = lvalue(V->getInit());
    Depth--;
    if (Bound.At.variable() && Bound.Exact && Bound.At.isFixed())
      return Bound;
  }
  return deref(P);
}

Path Paths::member(const MemberExpr *E) {
  if (const auto *V = dyn_cast<VarDecl>(E->getMemberDecl())) {
    Path P;
    P.At = AccessPath::of(V);
    return P;
  }
  const auto *FD = dyn_cast<FieldDecl>(E->getMemberDecl());
  if (!FD)
    return unknown(E);
  Path P = E->isArrow() ? pointee(E->getBase()) : lvalue(E->getBase());
  P.At.select(FD);
  return FD->getType()->isReferenceType() ? deref(P) : P;
}

Path Paths::lvalue(const Expr *E) {
  E = E->IgnoreParens();
  if (Depth > MaxDepth)
    return unknown(E);
  if (const auto *FE = dyn_cast<FullExpr>(E))
    return lvalue(FE->getSubExpr());
  if (const auto *DRE = dyn_cast<DeclRefExpr>(E))
    return variable(DRE);
  if (const auto *ME = dyn_cast<MemberExpr>(E))
    return member(ME);
  if (const auto *UO = dyn_cast<UnaryOperator>(E)) {
    if (UO->getOpcode() == UO_Deref)
      return pointee(UO->getSubExpr());
    Path P = lvalue(UO->getSubExpr());
    P.Exact &= !UO->isIncrementDecrementOp();
    return P;
  }
  if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E))
    return deref(moved(value(AS->getBase()), value(AS->getIdx())));
  if (const auto *CE = dyn_cast<CastExpr>(E)) {
    Path P = CE->getSubExpr()->isGLValue() ? lvalue(CE->getSubExpr()) : value(CE->getSubExpr());
    P.Cast |= CE->getCastKind() == CK_LValueBitCast;
    return P;
  }
  if (isa<MaterializeTemporaryExpr>(E)) {
    Path P = unknown(E);
    P.At = AccessPath::temporary(E);
    return P;
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  if (const auto *BO = dyn_cast<BinaryOperator>(E)) {
    Path P = lvalue(BO->getOpcode() == BO_Comma ? BO->getRHS() : BO->getLHS());
    P.Exact = false;
    return P;
  }
  return unknown(E);
}

Path Paths::call(const CallExpr *E) {
  const FunctionDecl *F = E->getDirectCallee();
  if (!F || Depth > MaxDepth)
    return unknown(E);
  Depth++;
  Path P = unknown(E);
  if (isIdentity(F) && E->getNumArgs() > 0) {
    P = E->getArg(0)->isGLValue() ? lvalue(E->getArg(0)) : value(E->getArg(0));
    if (takesAddress(F))
      P = address(std::move(P));
  } else if (const Path *R = K.returned(F)) {
    P = InCaller(*this, E).of(*R);
  }
  Depth--;
  return P;
}

} // namespace whyhot::ast
