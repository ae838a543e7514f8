#include "fix/value.h"

#include "ast/facts/arguments.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::fix {

const CXXRecordDecl *ownerOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  QualType T;
  if (const auto *ME = dyn_cast<MemberExpr>(E))
    T = ME->getBase()->getType();
  else if (isa<CallExpr>(E) && ast::objectOf(E))
    T = ast::objectOf(E)->getType();
  else if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E))
    return ownerOf(AS->getBase());
  else
    return nullptr;
  if (T->isPointerType())
    T = T->getPointeeType();
  return T->getAsCXXRecordDecl();
}

std::optional<std::vector<ast::Effect>> readsOf(const Expr *E, const ast::FunctionFacts &F) {
  std::vector<ast::Effect> Out;
  bool Pure = true;
  auto visit = [&](auto &&Self, const Stmt *S) -> void {
    if (!S || !Pure)
      return;
    if (isa<LambdaExpr, CXXNewExpr, CXXDeleteExpr, StmtExpr, CXXThrowExpr, ConditionalOperator,
            MaterializeTemporaryExpr>(S)) {
      Pure = false;
      return;
    }
    for (const Stmt *Child : S->children())
      Self(Self, Child);
    if (const auto *Call = dyn_cast<CallExpr>(S)) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      if (!Callee) {
        Pure = false;
        return;
      }
      const ast::Summary &Sum = F.Known.of(Callee);
      Pure &= Sum.Whole && Sum.Linear && (!Sum.Harmless || !Sum.Does.empty() || Callee->isConstexpr());
      const auto *M = dyn_cast<CXXMethodDecl>(Callee);
      Pure &= !M || !M->isVirtual();
    }
    if (const auto *CC = dyn_cast<CXXConstructExpr>(S)) // an iterator is handed through
      Pure &= CC->getConstructor()->isTrivial();
    if (const auto *Ex = dyn_cast<Expr>(S))
      Pure &= !Ex->getType().isVolatileQualified() && !Ex->getType()->isAtomicType();
    F.Known.effects().of(S, Out);
  };
  visit(visit, E);
  if (!Pure)
    return std::nullopt;
  for (const ast::Effect &X : Out)
    if (X.What != ast::Effect::Read || !X.Where.Exact || X.Type.isVolatileQualified())
      return std::nullopt;
  return Out;
}

} // namespace whyhot::fix
