// What is done with one element of packed bits: which reads and writes of it need a
// cast, and which forbid a change.
#include "fix/bits.h"

#include "fix/library.h"
#include "fix/uses.h"

#include "ast/facts/arguments.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace whyhot::fix {
namespace {

// The value's conversion to bool, of a proxy or of nothing.
bool isBoolean(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
      Call && isa_and_nonnull<CXXConversionDecl>(Call->getMethodDecl()))
    return true;
  if (E->getType()->isBooleanType() || isBitProxy(E->getType()))
    return true;
  const auto *L = dyn_cast<IntegerLiteral>(E);
  return L && L->getValue().ule(1);
}

} // namespace

bool Bits::inInstantiation(const Stmt *E) {
  const FunctionDecl *F = functionAround(E, C);
  return F && (F->getTemplateInstantiationPattern() || isTemplated(F));
}

void Bits::wrap(const Expr *E, const std::string &Before, Tie &Into) {
  auto R = S.range(E->getSourceRange());
  if (!R)
    return forbid(Into, "a use that would need a cast is written by a macro", E);
  if (inInstantiation(E))
    return forbid(Into, "a use in a template would need a cast", E);
  Into.Edits.push_back(S.insert(R->getBegin(), Before + "("));
  Into.Edits.push_back(S.insert(R->getEnd(), ")"));
}

// E is one element: what is done with it?
void Bits::element(const Expr *E, Tie &Into) {
  const Expr *Whole = E;
  const Stmt *P = parentOf(E, C);
  while (P && (isWrapper(P) || (isa<ImplicitCastExpr>(P) && cast<ImplicitCastExpr>(P)->getCastKind() == CK_NoOp)))
    Whole = cast<Expr>(P), P = parentOf(Whole, C);
  const auto *V = fix::initialised(Whole, C);
  if (V && V->isCXXForRangeDecl())
    return loopVariable(V, Into);
  if (!isBitProxy(E->getType())) // of a constant vector: a value
    return read(E, E, Into);
  // One of two elements is an element, of vectors that must have one type.
  while (const auto *Copy = dyn_cast_or_null<CXXConstructExpr>(P)) {
    if (!isBitProxy(Copy->getType()) ||
        !isa_and_nonnull<AbstractConditionalOperator, CXXConstructExpr>(parentOf(outermost(Copy, C), C)))
      break;
    Whole = outermost(Copy, C), P = parentOf(Whole, C);
  }
  if (const auto *Cond = dyn_cast_or_null<ConditionalOperator>(P); Cond && Cond->getCond() != Whole) {
    for (const Expr *Branch : {Cond->getTrueExpr(), Cond->getFalseExpr()}) {
      const Expr *X = Branch->IgnoreImplicit();
      while (const auto *Copy = dyn_cast<CXXConstructExpr>(X)) {
        if (Copy->getNumArgs() != 1)
          break;
        X = Copy->getArg(0)->IgnoreImplicit();
      }
      const auto *Call = dyn_cast<CallExpr>(X->IgnoreParenImpCasts());
      if (!Call || !isBitProxy(Cond->getType()) || !ast::objectOf(Call))
        return forbid(Into, "the proxy of an element is kept or passed on", E);
      roots(ast::objectOf(Call), Into);
    }
    return element(Cond, Into);
  }
  if (const auto *M = dyn_cast_or_null<MemberExpr>(P)) {
    if (isa<CXXConversionDecl>(M->getMemberDecl()))
      return read(cast<Expr>(parentOf(M, C)), E, Into);
    return forbid(Into, "`" + M->getMemberDecl()->getNameAsString() + "` of an element", E);
  }
  if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(P)) {
    if (Call->getOperator() == OO_Equal) {
      if (Call->getArg(0) != Whole)
        return; // another element is assigned this one
      // a[i] = b[i] = x: another element is assigned the result.
      const auto *Outer = dyn_cast_or_null<CXXOperatorCallExpr>(parentOf(outermost(Call, C), C));
      const bool Chained = Outer && Outer->getOperator() == OO_Equal && isBitProxy(Outer->getArg(0)->getType()) &&
                           Outer->getArg(0)->IgnoreParenImpCasts() != Call;
      return isDiscarded(Call, C) || Chained ? stored(Call->getArg(1), Into)
                                             : forbid(Into, "the result of an assignment is used", E);
    }
    if (Call->getOperator() == OO_EqualEqual || Call->getOperator() == OO_Less)
      return;
  }
  forbid(Into, "the proxy of an element is kept or passed on", E);
}

// The variable of a range-for over elements.
void Bits::loopVariable(const VarDecl *V, Tie &Into) {
  const QualType T = V->getType();
  if (!V->getTypeSourceInfo() || !V->getTypeSourceInfo()->getType()->getContainedAutoType()) {
    if (T->isReferenceType() && !T->getPointeeType().isConstQualified())
      Into.Refusals.push_back(S.remark("a reference is bound to the elements", V->getLocation()));
    return;
  }
  for (const Expr *E : usesOf(V, C)) {
    if (!T->isReferenceType() && isBitProxy(T))
      if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(parentOf(E, C));
          Call && Call->getOperator() == OO_Equal && Call->getArg(0) == E) {
        forbid(Into, "the loop variable writes through a proxy", E);
        continue;
      }
    if (isBitProxy(T))
      element(E, Into);
    else if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(parentOf(E, C)))
      read(Cast, E, Into);
  }
}

void Bits::read(const Expr *Value, const Expr *Element, Tie &Into) {
  if (anyIntegerDoes(Value, C))
    return;
  if (const auto *Return = dyn_cast_or_null<ReturnStmt>(parentOf(outermost(Value, C), C))) {
    const FunctionDecl *F = functionAround(Return, C);
    if (F && F->getReturnType()->isArithmeticType() && !F->getReturnType()->getContainedAutoType() &&
        !F->getDeclaredReturnType()->getContainedAutoType())
      return;
  }
  wrap(Element->IgnoreImpCasts(), "bool", Into);
}

// A value that becomes an element.
void Bits::stored(const Expr *Value, Tie &Into) {
  const Expr *E = Value->IgnoreParenImpCasts();
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    E = M->getSubExpr()->IgnoreParenImpCasts();
  if (Converts || isBoolean(E) || isa<CXXDefaultArgExpr>(E))
    return;
  wrap(E, "bool", Into);
}

} // namespace whyhot::fix
