// What a loop counts up in memory is loaded and stored in every iteration where a byte
// store might change it. A local in its place is right if
//
//  - the loop gets at the object by its name alone: nothing else in it reads or writes
//    what may be the same object (Changes::judgeAlone);
//  - nothing in the loop leaves it but by ways that are seen, and on each the local is
//    stored first.
//
// A way out is a statement from which the loop never goes on: a return, a goto, a throw,
// a call that does not return, and a block that ends in one of these and has no break or
// continue of the loop. What stands in it is left as it is, behind the store: whatever it
// calls finds the object as it was. Everything else that could leave, or look from
// outside, is a reason for no local at all: calls whose body is not seen to the end,
// exceptions, lambdas, assembly, destructors.
//
// Example. In while (s->rp < s->wp) { if (!n--) return flush(s); *p++ = *s->rp++; } the
// loop changes s->rp; return flush(s) is a way out. The edit is
//
//   unsigned char *rp = s->rp;
//   while (rp < s->wp) { if (!n--) { s->rp = rp; return flush(s); } *p++ = *rp++; }
//   s->rp = rp;
#include "fix/write_back.h"

#include "ast/facts/types.h"
#include "fix/library.h"
#include "fix/reach.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/Builtins.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace whyhot::fix {
namespace {

bool ends(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  return Callee && Callee->isNoReturn();
}

// Is the process over, with nobody left to look?
bool abandons(const FunctionDecl *F) {
  return F->getIdentifier() && (F->getName() == "abort" || F->getName() == "__assert_fail");
}

// Does the block hold a break, a continue or a case label of a statement around it?
bool staysIn(const Stmt *S, bool InLoop = false, bool InSwitch = false) {
  if (!S)
    return false;
  if (isa<BreakStmt>(S))
    return !InLoop && !InSwitch;
  if (isa<ContinueStmt>(S))
    return !InLoop;
  if (isa<SwitchCase>(S) && !InSwitch)
    return true;
  InLoop |= isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
  InSwitch |= isa<SwitchStmt>(S);
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return staysIn(Child, InLoop, InSwitch); });
}

bool leavesFunction(const Stmt *S) {
  if (isa<ReturnStmt, GotoStmt, CXXThrowExpr>(S))
    return true;
  if (const auto *E = dyn_cast<ExprWithCleanups>(S))
    return leavesFunction(E->getSubExpr());
  if (const auto *Call = dyn_cast<CallExpr>(S))
    return ends(Call);
  const auto *CS = dyn_cast<CompoundStmt>(S);
  return CS && !CS->body_empty() && leavesFunction(CS->body_back()) && !staysIn(CS);
}

// Is nothing of what the condition lets through left out?
bool isAlwaysTrue(const Expr *Condition, const ASTContext &C) {
  bool Holds = false;
  return !Condition || (!Condition->isValueDependent() && Condition->EvaluateAsBooleanCondition(Holds, C) && Holds);
}

bool hasDirective(StringRef Text) {
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Line = Line.ltrim(" \t");
    if (Line.consume_front("#") && !Line.ltrim(" \t").starts_with("pragma"))
      return true;
    Text = Rest;
  }
  return false;
}

} // namespace

WriteBack::WriteBack(const ast::FunctionFacts &F, const Context &C, const ast::Loop &L, const ast::Locals &Own,
                     const ParentMap &Parents)
    : F(F), C(C), L(L), Own(Own), Parents(Parents), RunsOut(!isAlwaysTrue(L.Condition, F.Context)) {
  if (isa<CXXForRangeStmt>(L.Statement))
    RunsOut = true;
  findExits(L.Body, true);
  scan(L.Statement);
  if (Written.empty())
    return;
  const std::string Text = C.S.text(L.Statement);
  if (Text.empty() || hasDirective(Text))
    object("a macro or a directive decides what the loop is");
  Changes May(F, Own, C.S, C.StrictAliasing);
  May.addLoop(L, {Exits.begin(), Exits.end()});
  for (const Expr *E : Written)
    consider(E, May);
}

void WriteBack::object(const std::string &Why) {
  if (Obstacle.empty())
    Obstacle = Why;
}

// Breaks: a break here belongs to the loop.
void WriteBack::findExits(const Stmt *S, bool Breaks) {
  if (!S || isa<LambdaExpr>(S))
    return;
  if (leavesFunction(S)) {
    if (!C.S.range(S->getSourceRange()) || S->getBeginLoc().isMacroID())
      object("a macro leaves the loop");
    Exits.push_back(S);
    return;
  }
  RunsOut |= Breaks && isa<BreakStmt>(S);
  Breaks &= !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt>(S);
  if (isa<Expr>(S)) // a call that does not return stands alone, or nothing can be put before it
    return;
  for (const Stmt *Child : S->children())
    findExits(Child, Breaks);
}

// A callee that is seen to the end and can do nothing but what its effects say.
bool WriteBack::isQuiet(const FunctionDecl *Callee, unsigned Depth) const {
  if (!Callee || Depth > 8)
    return false;
  switch (Callee->getBuiltinID()) {
  case Builtin::BImove:
  case Builtin::BIforward:
  case Builtin::BIas_const:
  case Builtin::BI__builtin_expect:
  case Builtin::BI__builtin_assume:
  case Builtin::BI__builtin_unreachable:
    return true;
  default:
    break;
  }
  if (Callee->hasAttr<ConstAttr>() || Callee->isConsteval() || (Callee->isTrivial() && isa<CXXMethodDecl>(Callee)))
    return true;
  const FunctionDecl *Definition = nullptr;
  if (!F.Known.of(Callee).Whole || Callee->isNoReturn() || !Callee->hasBody(Definition))
    return false;
  // Of a class that is copied whole no effect tells.
  auto isCopiedLocal = [](const Expr *E) {
    const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    return !E->isGLValue() || (V && V->hasLocalStorage() && !V->getType()->isReferenceType());
  };
  auto quiet = [&](auto &&Self, const Stmt *S) -> bool {
    if (!S || isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(S))
      return true;
    if (isa<LambdaExpr, CXXThrowExpr, CXXTryStmt, AsmStmt, CXXNewExpr, CXXDeleteExpr, StmtExpr, CXXBindTemporaryExpr>(
            S))
      return false;
    if (const auto *Call = dyn_cast<CallExpr>(S); Call && !isQuiet(Call->getDirectCallee(), Depth + 1))
      return false;
    if (const auto *CC = dyn_cast<CXXConstructExpr>(S))
      if (!isQuiet(CC->getConstructor(), Depth + 1) ||
          (CC->getConstructor()->isTrivial() && CC->getNumArgs() == 1 && !isCopiedLocal(CC->getArg(0))))
        return false;
    if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(S); OC && OC->isAssignmentOp() && !isCopiedLocal(OC->getArg(1)))
      return false;
    return llvm::all_of(S->children(), [&](const Stmt *Child) { return Self(Self, Child); });
  };
  if (const auto *Ctor = dyn_cast<CXXConstructorDecl>(Definition))
    for (const CXXCtorInitializer *I : Ctor->inits())
      if (!quiet(quiet, I->getInit()))
        return false;
  return quiet(quiet, Definition->getBody());
}

// All of the loop but its exits: what is named and written there, and what could leave
// it unseen.
void WriteBack::scan(const Stmt *S) {
  if (!S || isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(S) || llvm::is_contained(Exits, S))
    return;
  if (isa<LambdaExpr, BlockExpr>(S))
    return object("a lambda is made in the loop");
  if (isa<CXXTryStmt, CXXThrowExpr, CXXNewExpr, CXXDeleteExpr, CoroutineSuspendExpr, CoreturnStmt, SEHTryStmt>(S))
    object("an exception may leave the loop");
  if (isa<StmtExpr, AsmStmt, IndirectGotoStmt, OMPExecutableDirective, CXXBindTemporaryExpr, AtomicExpr>(S))
    object("not all that the loop does is seen");
  if (const auto *DS = dyn_cast<DeclStmt>(S))
    for (const Decl *D : DS->decls())
      if (const auto *V = dyn_cast<VarDecl>(D)) {
        Declared.insert(V->getNameAsString());
        const CXXRecordDecl *R = V->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
        if (V->isStaticLocal() || (R && R->hasDefinition() && !R->hasTrivialDestructor()))
          object("`" + V->getNameAsString() + "` is destroyed in the loop");
      }
  const FunctionDecl *Callee = nullptr;
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    Callee = Call->getDirectCallee();
    if (!Callee)
      object("a function is called through a pointer");
    else if (Callee->isNoReturn() ? !abandons(Callee) : !isPlainLibraryCall(Callee) && !isQuiet(Callee))
      object("`" + Callee->getQualifiedNameAsString() +
             "` is called, which may leave the loop or look at what it changes");
  } else if (const auto *CC = dyn_cast<CXXConstructExpr>(S); CC && !isQuiet(CC->getConstructor())) {
    object("a constructor is called that may leave the loop or look at what it changes");
  }
  if (const auto *E = dyn_cast<Expr>(S); E && E->isGLValue() && E->getType()->isScalarType() &&
                                         isa<MemberExpr, DeclRefExpr, UnaryOperator, ArraySubscriptExpr>(E))
    Names.push_back({E, F.Known.effects().paths().lvalue(E)});
  if (const Expr *To = ast::writtenBy(S))
    Written.push_back(To->IgnoreParens());
  for (const Stmt *Child : S->children())
    scan(Child);
}

// Is it a scalar in memory that can be copied, and the same one in each iteration?
bool WriteBack::isPossible(const Expr *E, const ast::Path &P) const {
  if (!P.Exact || P.Cast || P.At.empty() || !E->getType()->isScalarType() || E->getType().isVolatileQualified() ||
      E->getType()->isAtomicType() || E->refersToBitField() || !Own.isShared(P))
    return false;
  return llvm::none_of(P.At.steps(), [](const ast::AccessPath::Step &S) {
    return (S.field() && inUnion(S.field())) || S.kind() == ast::AccessPath::Step::Element;
  });
}

// Loaded or assigned, with nothing that could keep where it is.
bool WriteBack::isPlainUse(const Expr *LValue) const {
  const Stmt *Child = LValue, *Up = Parents.getParent(LValue);
  for (bool Wrote = false; Up; Child = Up, Up = Parents.getParent(Up)) {
    if (isa<ParenExpr>(Up))
      continue;
    if (const auto *Cast = dyn_cast<CastExpr>(Up))
      return Cast->getCastKind() == CK_LValueToRValue || (Wrote && Cast->getCastKind() == CK_ToVoid);
    const auto *BO = dyn_cast<BinaryOperator>(Up);
    if (!Wrote) {
      const Expr *To = ast::writtenBy(Up);
      if (!To || To->IgnoreParens() != LValue)
        return false;
      if (!cast<Expr>(Up)->isGLValue())
        return true;
      Wrote = true; // in C++ the result is the object again
    } else if (BO && BO->getOpcode() == BO_Comma) {
      if (BO->getLHS() == Child)
        return true;
    } else if (const auto *For = dyn_cast<ForStmt>(Up)) {
      return For->getInit() == Child || For->getInc() == Child || For->getBody() == Child;
    } else {
      return isa<CompoundStmt, IfStmt, WhileStmt, DoStmt, SwitchCase, ExprWithCleanups>(Up);
    }
  }
  return false;
}

// Does an iteration usually come there?
bool WriteBack::isUsual(const Expr *E) const {
  const Stmt *Child = E;
  for (const Stmt *Up = Parents.getParent(E); Up && Child != L.Statement; Child = Up, Up = Parents.getParent(Up)) {
    if (const auto *If = dyn_cast<IfStmt>(Up); If && Child != If->getCond())
      if (!llvm::is_contained(Exits, Child == If->getThen() ? If->getElse() : If->getThen()))
        return false;
    if (const auto *Switch = dyn_cast<SwitchStmt>(Up); Switch && Child != Switch->getCond())
      return false;
    if (const auto *Cond = dyn_cast<ConditionalOperator>(Up); Cond && Child != Cond->getCond())
      return false;
  }
  return true;
}

// Would the name mean something else in a part of the loop?
bool WriteBack::isHidden(const Expr *LValue) const {
  auto hidden = [&](auto &&Self, const Stmt *S) -> bool {
    const ValueDecl *D = nullptr;
    if (const auto *R = dyn_cast<DeclRefExpr>(S))
      D = R->getDecl();
    else if (const auto *M = dyn_cast<MemberExpr>(S))
      D = M->getMemberDecl();
    if (D && Declared.contains(D->getNameAsString()))
      return true;
    return llvm::any_of(S->children(), [&](const Stmt *Child) { return Child && Self(Self, Child); });
  };
  return hidden(hidden, LValue);
}

void WriteBack::consider(const Expr *E, const Changes &May) {
  const ast::Path P = F.Known.effects().paths().lvalue(E);
  if (!isPossible(E, P) || keeps(E))
    return;
  const std::string Text = C.S.text(E);
  if (Text.empty() || llvm::any_of(Others, [&](const Left &X) { return X.Text == Text; }))
    return;
  auto leave = [&](const std::string &Why) { Others.push_back({Text, E, Why}); };
  auto Reads = readsOf(E, F);
  if (!Reads)
    return;
  Reads->push_back({ast::Effect::Read, P, E->getType(), E, E});
  Object X{{*Reads, ownerOf(E), Text}, E, {}, {}};
  std::vector<const Expr *> Uses;
  bool Usual = false;
  for (const Named &N : Names)
    if (N.Where.At == P.At)
      Uses.push_back(N.LValue);
  auto isOwn = [&](const Expr *Site) {
    const Expr *To = ast::writtenBy(Site);
    return llvm::is_contained(Uses, (To ? To : Site)->IgnoreParens());
  };
  const Judgement J = May.judgeAlone(X.V, isOwn);
  if (J.What == Judgement::Varies)
    return;
  if (J.What > Judgement::Assumed)
    return leave(J.Why.front().Text);
  if (!Obstacle.empty())
    return leave(Obstacle);
  if (isHidden(E))
    return leave("its name is declared anew in the loop");
  for (const Expr *Use : Uses) {
    if (!isPlainUse(Use))
      return leave("its address is taken in the loop");
    const Stmt *Outer = Use;
    while (isa_and_nonnull<ParenExpr>(Parents.getParent(Outer)))
      Outer = Parents.getParent(Outer);
    auto Range = C.S.range(Outer->getSourceRange());
    if (!Range)
      Range = C.S.range(Use->getSourceRange());
    if (!Range)
      return leave("a macro names it");
    if (llvm::none_of(X.Where, [&](CharSourceRange R) { return R.getAsRange() == Range->getAsRange(); }))
      X.Where.push_back(*Range);
    Usual |= isUsual(Use);
  }
  if (!Usual)
    return leave("few iterations use it");
  X.Assumptions = J.Why;
  Kept.push_back(std::move(X));
  Taken.insert(Uses.begin(), Uses.end());
}

bool WriteBack::keeps(const Expr *LValue) const {
  const ast::AccessPath At = F.Known.effects().paths().lvalue(LValue).At;
  return llvm::any_of(Kept, [&](const Object &X) { return X.V.Reads.back().Where.At == At; });
}

} // namespace whyhot::fix
