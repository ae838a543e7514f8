#include "fix/nonnull.h"

#include "ast/facts/types.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace whyhot::fix {
namespace {

// The pointer that an expression follows itself; null where it follows none, or
// one that is never null.
const Expr *followed(const Stmt *S) {
  const Expr *P = nullptr;
  if (const auto *M = dyn_cast<MemberExpr>(S); M && M->isArrow())
    P = M->getBase();
  else if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->getOpcode() == UO_Deref)
    P = U->getSubExpr();
  else if (const auto *A = dyn_cast<ArraySubscriptExpr>(S);
           A && !A->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
    P = A->getBase();
  if (!P)
    return nullptr;
  P = P->IgnoreParenImpCasts();
  return isa<CXXThisExpr>(P) || P->getType()->isArrayType() ? nullptr : P;
}

const VarDecl *variable(const Expr *E) {
  E = E->IgnoreParenCasts();
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return V && V->isLocalVarDeclOrParm() ? V->getCanonicalDecl() : nullptr;
}

bool leaves(const Stmt *S) {
  if (!S)
    return false;
  if (const auto *CS = dyn_cast<CompoundStmt>(S))
    return !CS->body_empty() && leaves(CS->body_back());
  if (const auto *E = dyn_cast<ExprWithCleanups>(S))
    return leaves(E->getSubExpr());
  if (const auto *Call = dyn_cast<CallExpr>(S))
    return Call->getDirectCallee() && Call->getDirectCallee()->isNoReturn();
  return isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, CXXThrowExpr>(S);
}

} // namespace

NonNull::NonNull(const ast::FunctionFacts &F, const ast::Loop &L, const Source &S) : SM(S.SM), S(S) {
  for (const ParmVarDecl *P : F.Function->parameters())
    if (P->hasAttr<NonNullAttr>())
      Facts.push_back({P->getCanonicalDecl(), 0});
  auto assigned = [&](auto &&Self, const Stmt *St) -> void {
    if (!St)
      return;
    const Expr *To = ast::writtenBy(St);
    if (const auto *UO = dyn_cast<UnaryOperator>(St); UO && UO->getOpcode() == UO_AddrOf)
      To = UO->getSubExpr();
    if (To)
      if (const VarDecl *V = variable(To))
        Assignments.push_back({V, SM.getFileOffset(SM.getFileLoc(St->getBeginLoc()))});
    for (const Stmt *Child : St->children())
      Self(Self, Child);
  };
  assigned(assigned, F.Function->getBody());
  // Upwards from the loop: what ran before it in each block around it.
  ParentMap Parents(const_cast<Stmt *>(F.Function->getBody()));
  const Stmt *Inner = L.Statement;
  if (const auto *For = dyn_cast<ForStmt>(Inner))
    follow(For->getInit());
  follow(L.Condition);
  for (const Stmt *Up = Parents.getParent(Inner); Up; Inner = Up, Up = Parents.getParent(Up)) {
    if (const auto *CS = dyn_cast<CompoundStmt>(Up)) {
      for (const Stmt *Before : CS->body()) {
        if (Before == Inner)
          break;
        before(Before);
      }
    } else if (const auto *If = dyn_cast<IfStmt>(Up)) {
      if (Inner != If->getCond())
        guard(If->getCond(), Inner == If->getThen());
    } else if (const auto *For = dyn_cast<ForStmt>(Up)) {
      follow(For->getCond());
      guard(For->getCond(), true);
    } else if (const auto *While = dyn_cast<WhileStmt>(Up)) {
      guard(While->getCond(), true);
    }
  }
}

void NonNull::note(const Expr *Pointer) {
  if (const VarDecl *V = variable(Pointer))
    Facts.push_back({V, SM.getFileOffset(SM.getFileLoc(Pointer->getBeginLoc()))});
}

void NonNull::follow(const Stmt *St) {
  if (!St || isa<LambdaExpr, UnaryExprOrTypeTraitExpr>(St))
    return;
  if (const Expr *P = followed(St))
    note(P);
  const auto *BO = dyn_cast<BinaryOperator>(St);
  const bool FirstAlone = isa<ConditionalOperator, ForStmt, WhileStmt, SwitchStmt, CXXTryStmt, CXXForRangeStmt>(St) ||
                          (BO && BO->isLogicalOp());
  if (const auto *If = dyn_cast<IfStmt>(St))
    return follow(If->getCond());
  for (const Stmt *Child : St->children()) {
    follow(Child);
    if (FirstAlone)
      return;
  }
}

void NonNull::before(const Stmt *St) {
  follow(St);
  if (const auto *If = dyn_cast<IfStmt>(St); If && leaves(If->getThen()))
    guard(If->getCond(), false);
  if (const auto *DS = dyn_cast<DeclStmt>(St))
    for (const Decl *D : DS->decls())
      if (const auto *V = dyn_cast<VarDecl>(D); V && V->getInit()) {
        const Expr *Init = V->getInit()->IgnoreParenCasts();
        const auto *U = dyn_cast<UnaryOperator>(Init);
        if ((U && U->getOpcode() == UO_AddrOf) || isa<CXXNewExpr>(Init))
          Facts.push_back({V->getCanonicalDecl(), SM.getFileOffset(SM.getFileLoc(V->getEndLoc()))});
      }
}

// What a condition says of pointers when it holds, or does not.
void NonNull::guard(const Expr *E, bool Holds) {
  if (!E)
    return;
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_LNot)
    return guard(U->getSubExpr(), !Holds);
  if (const auto *BO = dyn_cast<BinaryOperator>(E)) {
    if (BO->getOpcode() == (Holds ? BO_LAnd : BO_LOr)) {
      guard(BO->getLHS(), Holds);
      guard(BO->getRHS(), Holds);
    } else if (BO->getOpcode() == (Holds ? BO_NE : BO_EQ)) {
      const Expr *Left = BO->getLHS(), *Right = BO->getRHS();
      if (Right->isNullPointerConstant(S.C, Expr::NPC_ValueDependentIsNotNull))
        note(Left->IgnoreParenImpCasts());
      else if (Left->isNullPointerConstant(S.C, Expr::NPC_ValueDependentIsNotNull))
        note(Right->IgnoreParenImpCasts());
    }
    return;
  }
  if (Holds && E->getType()->isPointerType())
    note(E);
}

bool NonNull::isKnown(const Expr *Pointer) const {
  if (const auto *U = dyn_cast<UnaryOperator>(Pointer); U && U->getOpcode() == UO_AddrOf)
    return true;
  const VarDecl *V = variable(Pointer);
  if (!V)
    return false;
  return llvm::any_of(Facts, [&](const Fact &X) {
    return X.Variable == V &&
           llvm::none_of(Assignments, [&](const Fact &A) { return A.Variable == V && A.Since > X.Since; });
  });
}

void NonNull::require(const Expr *E, const ast::FunctionFacts &F, std::vector<Remark> &Assumptions) {
  auto visit = [&](auto &&Self, const Stmt *St) -> void {
    if (!St)
      return;
    const Expr *P = followed(St);
    if (const auto *Call = dyn_cast<CallExpr>(St)) { // the accessor follows a pointer of the object
      const FunctionDecl *Callee = Call->getDirectCallee();
      if (Callee && !Callee->isInStdNamespace())
        for (const ast::Effect &X : F.Known.of(Callee).Does)
          if (X.Where.At.follows() > 1)
            P = Call;
    }
    if (P && !isKnown(P)) {
      std::string Text =
          "`" + S.text(P) + "` may be followed even where the loop has no iteration: it is not null there";
      if (Said.insert(Text).second)
        Assumptions.push_back(S.remark(Text, P->getBeginLoc()));
    }
    for (const Stmt *Child : St->children())
      Self(Self, Child);
  };
  visit(visit, E);
}

} // namespace whyhot::fix
