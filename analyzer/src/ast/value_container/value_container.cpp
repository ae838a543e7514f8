// value-container: containers passed by value that the function only reads.
#include "ast/report.h"

#include "ast/facts/containers.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

// May the parameter become a reference without anybody else being asked? Not where
// a base class or a template argument says what the function takes.
bool isFree(const FunctionDecl *F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(F);
  if (Method && (Method->isVirtual() || Method->isLambdaStaticInvoker() || Method->getParent()->isLambda() ||
                 isa<CXXConstructorDecl>(Method)))
    return false;
  return !F->isMain() && !F->isOverloadedOperator() && !F->isExternC() && !F->getTemplateSpecializationInfo();
}

void inFunction(const FunctionFacts &F, Report &R) {
  if (!R.wants("value-container") || !isFree(F.Function))
    return;
  for (const ParmVarDecl *P : F.Function->parameters()) {
    const std::string Container = containerName(P->getType());
    if (Container.empty() || P->getType()->isReferenceType() || !P->getDeclName() ||
        !isOnlyRead(P, F.Function->getBody()))
      continue;
    Match M = R.in("value-container", F.Function, nullptr, F.Function->getBody());
    M.Place = R.span(P->getSourceRange());
    M.First = M.Place;
    M.Location = P->getNameAsString() + ", a " + Container;
    M.Target = {P->getType().getAsString(F.Context.getPrintingPolicy()), P->getNameAsString(), M.Place,
                F.Function->isExternallyVisible() ? "project" : "unit"};
    R.add(std::move(M), F.Function);
  }
}

void inUnit(ASTContext &, Report &R) {
  R.dropOf("value-container", [&R](const Match &, const FunctionDecl *F) { return R.Calls.isTaken(F); });
  R.eachOf("value-container", [&R](Match &M, const FunctionDecl *F) {
    if (R.Calls.isInLoop(F)) {
      M.InLoop = true;
      M.Notes.push_back("the function is called in a loop");
    }
  });
}

const Registered<Rule> ValueContainerRule("value-container", {inFunction, inUnit});

} // namespace

} // namespace whyhot::ast
