#include "ast/facts/effects.h"

#include "ast/facts/callees.h"
#include "ast/facts/in_caller.h"
#include "ast/facts/types.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace whyhot::ast {

void Effects::load(const Expr *LValue, const Expr *Site, std::vector<Effect> &Out) {
  QualType T = LValue->getType();
  if (T.isVolatileQualified() || T->isAtomicType() || !LValue->isGLValue() || T->isArrayType() || T->isFunctionType())
    return;
  Path Where = P.lvalue(LValue);
  // A load of a member or a variable that never changes is a constant.
  if (const auto *V = Where.At.variable();
      V && Where.At.isDirect() && V->getType().isConstQualified() && V->hasGlobalStorage())
    return;
  Out.push_back({Effect::Read, std::move(Where), T, Site, Site});
}

void Effects::store(const Expr *LValue, const Expr *Site, std::vector<Effect> &Out) {
  QualType T = LValue->getType();
  Effect E{Effect::Store, P.lvalue(LValue), T, Site, Site};
  if (T->isRecordType() && !(E.Where.At.isDirect() && E.Where.At.variable()))
    E.What = Effect::Opaque; // an aggregate is copied: its members' types decide
  else if (storesAsChar(LValue, C))
    E.What = Effect::CharStore;
  Out.push_back(std::move(E));
}

void Effects::call(const CallExpr *E, std::vector<Effect> &Out) {
  const FunctionDecl *F = E->getDirectCallee();
  const Summary *S = F ? &K.of(F) : nullptr;
  if (S && S->Harmless)
    return;
  if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(E); OC && OC->isAssignmentOp() && F && F->isTrivial())
    return store(OC->getArg(0), E, Out);
  const auto *MC = dyn_cast<CXXMemberCallExpr>(E);
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  bool Virtual = Method && Method->isVirtual() && !Method->hasAttr<FinalAttr>() && MC && MC->getMethodDecl() &&
                 MC->getMethodDecl()->getDevirtualizedMethod(MC->getImplicitObjectArgument(), false) == nullptr;
  if (!S || !S->Transparent || Virtual) {
    Out.push_back({Effect::Opaque, {}, {}, E, E});
    return;
  }
  inlined(*S, E, Out);
}

void Effects::inlined(const Summary &S, const Expr *Call, std::vector<Effect> &Out) {
  InCaller Seen(P, Call);
  for (const Effect &Inner : S.Does)
    Out.push_back({Inner.What, Seen.of(Inner.Where), Inner.Type, Call, Inner.Inner});
}

void Effects::construct(const CXXConstructExpr *E, std::vector<Effect> &Out) {
  const CXXConstructorDecl *Ctor = E->getConstructor();
  if (Ctor->isTrivial() || E->isElidable())
    return;
  const Summary &S = K.of(Ctor);
  if (!S.Transparent)
    Out.push_back({Effect::Opaque, {}, {}, E, E});
  else if (!S.Harmless)
    inlined(S, E, Out);
}

bool Effects::isPlacement(const CXXNewExpr *E) {
  return E->getOperatorNew() && E->getOperatorNew()->isReservedGlobalPlacementOperator() &&
         E->getNumPlacementArgs() == 1;
}

void Effects::of(const Stmt *S, std::vector<Effect> &Out) {
  if (const auto *CE = dyn_cast<ImplicitCastExpr>(S)) {
    if (CE->getCastKind() == CK_LValueToRValue)
      load(CE->getSubExpr(), CE->getSubExpr(), Out);
    return;
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(S)) {
    if (BO->isCompoundAssignmentOp())
      load(BO->getLHS(), BO->getLHS(), Out);
    if (BO->isAssignmentOp())
      store(BO->getLHS(), BO, Out);
    return;
  }
  if (const auto *UO = dyn_cast<UnaryOperator>(S)) {
    if (UO->isIncrementDecrementOp()) {
      load(UO->getSubExpr(), UO->getSubExpr(), Out);
      store(UO->getSubExpr(), UO, Out);
    }
    return;
  }
  if (const auto *DS = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : DS->decls())
      if (const auto *V = dyn_cast<VarDecl>(D)) {
        Effect E{Effect::Store, {}, V->getType(), nullptr, V->getInit()};
        E.Where.At = AccessPath::of(V);
        Out.push_back(std::move(E));
      }
    return;
  }
  if (const auto *Call = dyn_cast<CallExpr>(S))
    return call(Call, Out);
  if (const auto *CC = dyn_cast<CXXConstructExpr>(S))
    return construct(CC, Out);
  if (const auto *New = dyn_cast<CXXNewExpr>(S); New && isPlacement(New)) {
    QualType T = New->getAllocatedType();
    if (T->isScalarType())
      Out.push_back(
          {isCharLike(T, C) ? Effect::CharStore : Effect::Store, P.pointee(New->getPlacementArg(0)), T, New, New});
    return;
  }
  if (isa<CXXNewExpr, CXXDeleteExpr, GCCAsmStmt, CXXDynamicCastExpr, AtomicExpr, CoroutineSuspendExpr>(S))
    Out.push_back({Effect::Opaque, {}, {}, dyn_cast<Expr>(S), dyn_cast<Expr>(S)});
}

} // namespace whyhot::ast
