#include "ast/facts/loops.h"

#include "ast/facts/callees.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace whyhot::ast {

bool Loop::isWithin(const Loop *Outer) const {
  for (const Loop *L = this; L; L = L->Parent)
    if (L == Outer)
      return true;
  return false;
}

LoopNest::LoopNest(const Stmt *Body) { visit(Body, {}); }

void LoopNest::visit(const Stmt *S, Position At) {
  if (!S || isa<LambdaExpr>(S))
    return;
  Where[S] = At;
  auto open = [&](const Stmt *Body, const Expr *Condition) {
    Loops.push_back(std::make_unique<Loop>(Loop{S, Body, Condition, At.In, At.In ? At.In->Depth + 1 : 1}));
    Position Inside{Loops.back().get(), nullptr};
    visit(Condition, {Inside.In, Inside.In});
    visit(Body, Inside);
    return Inside;
  };
  if (const auto *F = dyn_cast<ForStmt>(S)) {
    visit(F->getInit(), At);
    Position Inside = open(F->getBody(), F->getCond());
    visit(F->getInc(), Inside);
    return;
  }
  if (const auto *W = dyn_cast<WhileStmt>(S)) {
    open(W->getBody(), W->getCond());
    return;
  }
  if (const auto *D = dyn_cast<DoStmt>(S)) {
    if (isOnce(D))
      return visit(D->getBody(), At);
    open(D->getBody(), D->getCond());
    return;
  }
  if (const auto *R = dyn_cast<CXXForRangeStmt>(S)) {
    for (const Stmt *Part : {static_cast<const Stmt *>(R->getInit()), static_cast<const Stmt *>(R->getRangeStmt()),
                             static_cast<const Stmt *>(R->getBeginStmt()), static_cast<const Stmt *>(R->getEndStmt())})
      visit(Part, At);
    Position Inside = open(R->getBody(), R->getCond());
    visit(R->getInc(), Inside);
    visit(R->getLoopVarStmt(), Inside);
    return;
  }
  for (const Stmt *Child : S->children())
    visit(Child, At);
}

} // namespace whyhot::ast
