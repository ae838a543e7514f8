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

bool changesPointee(const CastExpr *E) {
  QualType From = E->getSubExpr()->getType(), To = E->getType();
  if (From->isPointerType() && To->isPointerType()) {
    From = From->getPointeeType();
    To = To->getPointeeType();
  }
  return From.getCanonicalType().getUnqualifiedType() != To.getCanonicalType().getUnqualifiedType() &&
         !From->isVoidType() && !To->isVoidType();
}

constexpr unsigned MaxDepth = 40;

} // namespace

Path Paths::deref(Path P) {
  if (!P.Address)
    P.At.follow();
  P.Address = false;
  if (P.Offset && !P.Offset->isZero())
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
  const Term *Offset = term(By);
  if (P.Offset && !P.Offset->isZero())
    P.Offset = Made.binary(Back ? BO_Sub : BO_Add, P.Offset, Offset);
  else
    P.Offset = Back ? Made.unary(UO_Minus, Offset) : Offset;
  P.Exact &= By.Exact;
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

Path Paths::operation(const UnaryOperator *E) {
  if (E->getOpcode() == UO_AddrOf || E->isIncrementDecrementOp()) {
    Path P = lvalue(E->getSubExpr());
    P.Address |= E->getOpcode() == UO_AddrOf;
    P.Exact &= E->getOpcode() == UO_AddrOf;
    return P;
  }
  Path Operand = value(E->getSubExpr());
  Path P = computed(Made.unary(E->getOpcode(), term(Operand)));
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
  if (const auto *CE = dyn_cast<CastExpr>(E)) {
    Path P = CE->getSubExpr()->isGLValue() ? lvalue(CE->getSubExpr()) : value(CE->getSubExpr());
    if (CE->getCastKind() == CK_ArrayToPointerDecay)
      P.Address = true;
    P.Cast |= CE->getCastKind() == CK_BitCast && changesPointee(CE);
    return P;
  }
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

Path Paths::call(const CallExpr *E) {
  const FunctionDecl *F = E->getDirectCallee();
  if (!F || Depth > MaxDepth)
    return unknown(E);
  Depth++;
  Path P = unknown(E);
  if (isIdentity(F) && E->getNumArgs() > 0) {
    P = E->getArg(0)->isGLValue() ? lvalue(E->getArg(0)) : value(E->getArg(0));
    P.Address |= takesAddress(F);
  } else if (const Path *R = K.returned(F)) {
    P = InCaller(*this, E).of(*R);
  }
  Depth--;
  return P;
}

} // namespace whyhot::ast
