// Values: numbers, and pointers with how far they point from where they began.
#include "ast/facts/path.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

bool changesPointee(const CastExpr *E) {
  QualType From = E->getSubExpr()->getType(), To = E->getType();
  if (From->isPointerType() && To->isPointerType()) {
    From = From->getPointeeType();
    To = To->getPointeeType();
  }
  return From.getCanonicalType().getUnqualifiedType() != To.getCanonicalType().getUnqualifiedType() &&
         !From->isVoidType() && !To->isVoidType();
}

// Is the number after a cast the one before it, whatever that was? A negative one
// that becomes as wide as a pointer counts as the same: addresses wrap round.
bool keepsNumber(const CastExpr *E, const ASTContext &C) {
  switch (E->getCastKind()) {
  case CK_IntegralCast:
    break;
  case CK_IntegralToBoolean:
  case CK_PointerToBoolean:
  case CK_FloatingToBoolean:
  case CK_FloatingToIntegral:
    return false;
  default:
    return true;
  }
  const QualType From = E->getSubExpr()->getType(), To = E->getType();
  const unsigned Before = C.getIntWidth(From), After = C.getIntWidth(To);
  if (From->isSignedIntegerOrEnumerationType() == To->isSignedIntegerOrEnumerationType())
    return After >= Before;
  return To->isSignedIntegerOrEnumerationType() ? After > Before : After >= C.getTypeSize(C.getSizeType());
}

} // namespace

// &p[i] is p + i, and &*p is p.
Path Paths::address(Path P) {
  if (P.At.endsIn(AccessPath::Step::Element))
    P.Offset = P.At.pop().index();
  P.Address = !P.At.endsIn(AccessPath::Step::Follow);
  if (!P.Address)
    P.At.pop();
  return P;
}

Path Paths::computed(const Term *T) {
  Path P;
  P.At = AccessPath::computed(T);
  return P;
}

const Term *Paths::term(const Path &Value) {
  if (const Term *T = Value.At.term(); T && Value.At.steps().empty() && !Value.Offset)
    return T;
  return Made.value(Value.At, Value.Address, Value.Offset);
}

Path Paths::moved(Path P, const Path &By, bool Back) {
  P.Exact &= By.Exact;
  const Term *Offset = term(By), *From = P.Offset ? P.Offset : Made.constant(0);
  if (Offset->isZero())
    return P;
  if (From->kind() == Term::Constant && Offset->kind() == Term::Constant)
    P.Offset = Made.constant(Back ? From->number() - Offset->number() : From->number() + Offset->number());
  else if (From->isZero())
    P.Offset = Back ? Made.unary(UO_Minus, Offset) : Offset;
  else
    P.Offset = Made.binary(Back ? BO_Sub : BO_Add, From, Offset);
  return P;
}

Path Paths::operation(const UnaryOperator *E) {
  if (E->getOpcode() == UO_AddrOf || E->isIncrementDecrementOp()) {
    Path P = lvalue(E->getSubExpr());
    if (E->getOpcode() == UO_AddrOf)
      return address(std::move(P));
    P.Exact = false;
    return P;
  }
  Path Operand = value(E->getSubExpr());
  const Term *T = term(Operand);
  const bool IsNegative =
      T->kind() == Term::Constant && E->getOpcode() == UO_Minus && E->getType()->isSignedIntegerType();
  Path P = computed(IsNegative ? Made.constant(-T->number()) : Made.unary(E->getOpcode(), T));
  P.Exact = Operand.Exact;
  return P;
}

Path Paths::operation(const BinaryOperator *E) {
  Path L = value(E->getLHS()), R = value(E->getRHS());
  if (E->isAdditiveOp() && E->getType()->isPointerType()) {
    if (!E->getLHS()->getType()->isPointerType())
      std::swap(L, R);
    return moved(L, R, E->getOpcode() == BO_Sub);
  }
  Path P = computed(Made.binary(E->getOpcode(), term(L), term(R)));
  P.Exact = L.Exact && R.Exact;
  return P;
}

Path Paths::cast(const CastExpr *E) {
  Path P = E->getSubExpr()->isGLValue() ? lvalue(E->getSubExpr()) : value(E->getSubExpr());
  if (E->getCastKind() == CK_ArrayToPointerDecay) {
    P.Address = true;
    P.Offset = Made.constant(0);
  }
  P.Cast |= E->getCastKind() == CK_BitCast && changesPointee(E);
  if (keepsNumber(E, C))
    return P;
  const Term *T = term(P);
  if (T->kind() == Term::Constant && T->number() < 128) // every type but bool holds it
    return P;
  Path Other = computed(Made.cast(E->getType(), T));
  Other.Exact = P.Exact;
  return Other;
}

Path Paths::value(const Expr *E) {
  E = E->IgnoreParens();
  if (Depth > MaxDepth)
    return unknown(E);
  if (E->isGLValue()) // an argument bound to a reference parameter
    return lvalue(E);
  if (const auto *FE = dyn_cast<FullExpr>(E))
    return value(FE->getSubExpr());
  if (const auto *IL = dyn_cast<IntegerLiteral>(E))
    return computed(Made.constant(IL->getValue().zextOrTrunc(64).getZExtValue()));
  if (const auto *CL = dyn_cast<CharacterLiteral>(E))
    return computed(Made.constant(CL->getValue()));
  if (isa<CXXThisExpr>(E)) {
    Path P;
    P.At = AccessPath::ofThis();
    return P;
  }
  if (const auto *DRE = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *EC = dyn_cast<EnumConstantDecl>(DRE->getDecl()))
      return computed(Made.constant(EC->getInitVal().extOrTrunc(64).getZExtValue()));
    return unknown(E);
  }
  if (const auto *CE = dyn_cast<CastExpr>(E))
    return cast(CE);
  if (const auto *UO = dyn_cast<UnaryOperator>(E))
    return operation(UO);
  if (const auto *BO = dyn_cast<BinaryOperator>(E); BO && !BO->isAssignmentOp() && BO->getOpcode() != BO_Comma)
    return operation(BO);
  if (const auto *CC = dyn_cast<CXXConstructExpr>(E);
      CC && CC->getNumArgs() == 1 && CC->getArg(0)->isGLValue() && CC->getConstructor()->isCopyOrMoveConstructor())
    return lvalue(CC->getArg(0));
  if (const auto *Bind = dyn_cast<CXXBindTemporaryExpr>(E))
    return value(Bind->getSubExpr());
  if (const auto *SN = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return value(SN->getReplacement());
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  return unknown(E);
}

} // namespace whyhot::ast
