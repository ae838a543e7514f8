#include "ast/facts/induction.h"

#include "ast/facts/types.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace whyhot::ast {

const VarDecl *variable(const Expr *E) {
  const auto *DRE = dyn_cast_or_null<DeclRefExpr>(E ? E->IgnoreParenImpCasts() : nullptr);
  return DRE ? dyn_cast<VarDecl>(DRE->getDecl()) : nullptr;
}

bool writes(const Stmt *S, const VarDecl *V) {
  if (!S)
    return false;
  if (const Expr *To = writtenBy(S); To && variable(To) == V)
    return true;
  if (const auto *UO = dyn_cast<UnaryOperator>(S);
      UO && UO->getOpcode() == UO_AddrOf && variable(UO->getSubExpr()) == V)
    return true;
  for (const Stmt *Child : S->children())
    if (writes(Child, V))
      return true;
  return false;
}

namespace {

// The variable that a for statement's last part moves by one.
const VarDecl *movedByOne(const Expr *Inc) {
  if (!Inc)
    return nullptr;
  Inc = Inc->IgnoreParenImpCasts();
  if (const auto *UO = dyn_cast<UnaryOperator>(Inc); UO && UO->isIncrementDecrementOp())
    return variable(UO->getSubExpr());
  if (const auto *BO = dyn_cast<BinaryOperator>(Inc)) {
    if (BO->getOpcode() == BO_Comma) {
      const VarDecl *Left = movedByOne(BO->getLHS());
      return Left ? Left : movedByOne(BO->getRHS());
    }
    if (BO->getOpcode() == BO_AddAssign || BO->getOpcode() == BO_SubAssign)
      if (const auto *One = dyn_cast<IntegerLiteral>(BO->getRHS()->IgnoreParenImpCasts()); One && One->getValue() == 1)
        return variable(BO->getLHS());
  }
  return nullptr;
}

Stride sum(const Stride &A, const Stride &B, bool Minus) {
  if (A.What == Stride::None && !Minus)
    return B;
  if (B.What == Stride::None)
    return A;
  if (A.What == Stride::Constant && B.What == Stride::Constant)
    return {Stride::Constant, Minus ? A.Elements - B.Elements : A.Elements + B.Elements, nullptr};
  if (A.What == Stride::None && B.What == Stride::Constant)
    return {Stride::Constant, -B.Elements, nullptr};
  return {A.What == Stride::None ? B.What : Stride::Unknown, 0, B.Factor};
}

} // namespace

const VarDecl *counterOf(const Loop &L) {
  const auto *F = dyn_cast<ForStmt>(L.Statement);
  const VarDecl *V = F ? movedByOne(F->getInc()) : nullptr;
  return V && V->getType()->isIntegerType() && !writes(L.Body, V) && boundOf(L, V) ? V : nullptr;
}

const Expr *boundOf(const Loop &L, const VarDecl *Counter) {
  const auto *BO = dyn_cast_or_null<BinaryOperator>(L.Condition ? L.Condition->IgnoreParenImpCasts() : nullptr);
  if (!BO || !(BO->isRelationalOp() || BO->getOpcode() == BO_NE))
    return nullptr;
  if (variable(BO->getLHS()) == Counter)
    return BO->getRHS();
  return variable(BO->getRHS()) == Counter ? BO->getLHS() : nullptr;
}

bool mentions(const Stmt *S, const ValueDecl *D) {
  if (!S)
    return false;
  if (const auto *DRE = dyn_cast<DeclRefExpr>(S); DRE && DRE->getDecl() == D)
    return true;
  for (const Stmt *Child : S->children())
    if (mentions(Child, D))
      return true;
  return false;
}

Stride strideOf(const Expr *E, const VarDecl *V, const ASTContext &C) {
  E = E->IgnoreParenCasts();
  if (!mentions(E, V))
    return {};
  if (variable(E) == V)
    return {Stride::Constant, 1, nullptr};
  const auto *BO = dyn_cast<BinaryOperator>(E);
  if (!BO)
    return {Stride::Unknown, 0, nullptr};
  const Expr *Left = BO->getLHS(), *Right = BO->getRHS();
  if (BO->isAdditiveOp())
    return sum(strideOf(Left, V, C), strideOf(Right, V, C), BO->getOpcode() == BO_Sub);
  const bool Shift = BO->getOpcode() == BO_Shl;
  if (BO->getOpcode() != BO_Mul && !Shift)
    return {Stride::Unknown, 0, nullptr};
  if (mentions(Right, V) && !Shift)
    std::swap(Left, Right);
  const Stride One = strideOf(Left, V, C);
  if (mentions(Right, V) || One.What != Stride::Constant)
    return {Stride::Unknown, 0, nullptr};
  Expr::EvalResult Number;
  if (!Right->isValueDependent() && Right->EvaluateAsInt(Number, C)) {
    const int64_t N = Number.Val.getInt().getExtValue();
    constexpr int64_t Widest = 40;
    if (Shift && (N < 0 || N > Widest))
      return {Stride::Unknown, 0, nullptr};
    return {Stride::Constant, Shift ? One.Elements << N : One.Elements * N, nullptr};
  }
  return {Stride::Symbol, 0, Right};
}

} // namespace whyhot::ast
