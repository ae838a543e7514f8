#include "ast/facts/arguments.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {

const Expr *objectOf(const Expr *Call) {
  if (const auto *MC = dyn_cast<CXXMemberCallExpr>(Call))
    return MC->getImplicitObjectArgument();
  const auto *OC = dyn_cast<CXXOperatorCallExpr>(Call);
  if (OC && OC->getNumArgs() > 0 && isa_and_nonnull<CXXMethodDecl>(OC->getCalleeDecl()))
    return OC->getArg(0);
  return nullptr;
}

const Expr *argumentFor(const Expr *Call, const ParmVarDecl *P) {
  unsigned I = P->getFunctionScopeIndex();
  if (const auto *CC = dyn_cast<CXXConstructExpr>(Call))
    return I < CC->getNumArgs() ? CC->getArg(I) : nullptr;
  const auto *CE = dyn_cast<CallExpr>(Call);
  if (!CE)
    return nullptr;
  if (isa<CXXOperatorCallExpr>(CE) && isa_and_nonnull<CXXMethodDecl>(CE->getCalleeDecl()))
    I++;
  return I < CE->getNumArgs() ? CE->getArg(I) : nullptr;
}

} // namespace whyhot::ast
