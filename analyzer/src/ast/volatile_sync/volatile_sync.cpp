// volatile-sync: volatile variables that one thread waits on or counts with.
#include "ast/report.h"

#include "ast/facts/types.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

// A variable or member that is itself declared volatile and outlives the call.
// Registers of a device are reached through a pointer to volatile, and a
// sig_atomic_t is for a signal handler: both need the volatile.
const ValueDecl *volatileFlag(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  const ValueDecl *D = nullptr;
  if (const auto *DRE = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(DRE->getDecl());
    if (!V || !V->hasGlobalStorage())
      return nullptr;
    D = V;
  } else if (const auto *ME = dyn_cast<MemberExpr>(E)) {
    QualType Base = ME->getBase()->getType();
    if (ME->isArrow())
      Base = Base->getPointeeType();
    if (Base.isVolatileQualified())
      return nullptr;
    D = ME->getMemberDecl();
  }
  if (!D || !D->getType().isVolatileQualified() || !D->getType()->isScalarType())
    return nullptr;
  for (QualType T = D->getType(); const auto *TT = T->getAs<TypedefType>(); T = TT->desugar())
    if (TT->getDecl()->getName().contains("sig_atomic_t"))
      return nullptr;
  return D;
}

class Walker {
public:
  Walker(const FunctionFacts &F, Report &R) : F(F), R(R) {}

  void run() {
    writes(F.Function->getBody());
    visit(F.Function->getBody());
  }

private:
  void writes(const Stmt *S) {
    if (!S)
      return;
    const Expr *To = writtenBy(S);
    if (const ValueDecl *D = To ? volatileFlag(To) : nullptr)
      if (const Loop *L = F.Loops.of(S).In)
        Written.insert({D, L});
    for (const Stmt *Child : S->children())
      writes(Child);
  }

  void visit(const Stmt *S) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const auto *CE = dyn_cast<ImplicitCastExpr>(S); CE && CE->getCastKind() == CK_LValueToRValue) {
      const Loop *L = F.Loops.of(CE).Condition;
      const ValueDecl *D = L ? volatileFlag(CE->getSubExpr()) : nullptr;
      // Who waits for a flag does not set it.
      if (D && !Written.count({D, L}))
        report(CE->getSubExpr(), D, L, "the loop waits for another thread through it");
    }
    const Expr *Counter = nullptr;
    if (const auto *UO = dyn_cast<UnaryOperator>(S); UO && UO->isIncrementDecrementOp())
      Counter = UO->getSubExpr();
    else if (const auto *CO = dyn_cast<CompoundAssignOperator>(S))
      Counter = CO->getLHS();
    if (const Loop *L = Counter ? F.Loops.of(S).In : nullptr)
      if (const ValueDecl *D = volatileFlag(Counter); D && !F.Loops.of(S).Condition)
        report(Counter, D, L, "read, changed and written in three steps: another thread's change gets lost");
    for (const Stmt *Child : S->children())
      visit(Child);
  }

  void report(const Expr *E, const ValueDecl *D, const Loop *L, const char *Note) {
    Match M = R.in("volatile-sync", F.Function, L, E);
    M.First = R.span(E);
    M.Location = D->getQualifiedNameAsString();
    M.Target = {D->getType().getAsString(F.Context.getPrintingPolicy()), D->getQualifiedNameAsString(),
                R.span(D->getSourceRange()), "project"};
    M.Notes.push_back(Note);
    R.add(std::move(M), F.Function);
  }

  const FunctionFacts &F;
  Report &R;
  std::set<std::pair<const ValueDecl *, const Loop *>> Written;
};

void inFunction(const FunctionFacts &F, Report &R) {
  if (R.wants("volatile-sync") && !F.Loops.all().empty())
    Walker(F, R).run();
}

const Registered<Rule> VolatileSyncRule("volatile-sync", {inFunction, nullptr});

} // namespace

} // namespace whyhot::ast
