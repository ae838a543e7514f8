#include "ast/facts/callees.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::ast {
namespace {

constexpr unsigned MaxDepth = 12;
constexpr size_t MaxEffects = 48; // a body with more is no accessor

// Library functions that write nothing the program can see.
bool onlyReads(const FunctionDecl *F, const ASTContext &C) {
  if (unsigned ID = F->getBuiltinID())
    if (C.BuiltinInfo.isConst(ID) || C.BuiltinInfo.isPure(ID))
      return true;
  if (F->hasAttr<PureAttr>() || F->hasAttr<ConstAttr>() || F->isConsteval())
    return true;
  if (!F->getIdentifier() || !F->getDeclContext()->getRedeclContext()->isFileContext())
    return false;
  return llvm::StringSwitch<bool>(F->getName())
      .Cases("strlen", "strcmp", "strncmp", "strchr", "strrchr", "strstr", "memcmp", "memchr", "wcslen", true)
      .Cases("strnlen", "strcasecmp", "strncasecmp", "__builtin_expect", "__builtin_unreachable", true)
      .Cases("__builtin_assume", "__builtin_prefetch", "is_constant_evaluated", "__is_constant_evaluated", true)
      .Default(false);
}

bool namesConstantEvaluation(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *BO = dyn_cast<BinaryOperator>(E); BO && BO->getOpcode() == BO_LAnd)
    return namesConstantEvaluation(BO->getLHS());
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  return F && F->getIdentifier() && F->getName().contains("is_constant_evaluated");
}

// The expression that a body returns, when the body is nothing else.
const Expr *soleReturn(const Stmt *Body) {
  const auto *CS = dyn_cast_or_null<CompoundStmt>(Body);
  if (!CS)
    return nullptr;
  const Expr *Value = nullptr;
  for (const Stmt *S : CS->body()) {
    const auto *Do = dyn_cast<DoStmt>(S);
    if (isa<NullStmt>(S) || (Do && isOnce(Do)))
      continue; // an assertion
    const auto *DS = dyn_cast<DeclStmt>(S);
    if (DS && llvm::all_of(DS->decls(), [](const Decl *D) { return !isa<VarDecl>(D); }))
      continue;
    const auto *RS = dyn_cast<ReturnStmt>(S);
    if (!RS || Value)
      return nullptr;
    Value = RS->getRetValue();
  }
  return Value;
}

} // namespace

bool isBranch(const Stmt *S) {
  if (const auto *If = dyn_cast<IfStmt>(S))
    return !If->isConstexpr() && !isConstantEvaluationOnly(If);
  if (const auto *Do = dyn_cast<DoStmt>(S))
    return !isOnce(Do);
  return isa<ForStmt, WhileStmt, CXXForRangeStmt, SwitchStmt, ConditionalOperator, BinaryConditionalOperator, GotoStmt,
             IndirectGotoStmt, CXXTryStmt>(S);
}

bool isConstantEvaluationOnly(const IfStmt *S) {
  return S->isConsteval() || (S->getCond() && namesConstantEvaluation(S->getCond()));
}

bool isOnce(const DoStmt *S) {
  const Expr *Cond = S->getCond()->IgnoreParenImpCasts();
  if (const auto *B = dyn_cast<CXXBoolLiteralExpr>(Cond))
    return !B->getValue();
  const auto *I = dyn_cast<IntegerLiteral>(Cond);
  return I && I->getValue().isZero();
}

bool isInlinable(const FunctionDecl *F) {
  const FunctionDecl *Definition = nullptr;
  if (!F->hasBody(Definition) || Definition->hasAttr<NoInlineAttr>() || Definition->isDependentContext())
    return false;
  return Definition->isInlined() || Definition->isTemplateInstantiation() ||
         Definition->getFormalLinkage() == Linkage::Internal;
}

const Summary &Callees::of(const FunctionDecl *F) {
  F = F->getCanonicalDecl();
  auto [It, New] = Known.try_emplace(F, nullptr);
  if (!New && It->second)
    return *It->second;
  // Filled in place: a recursive call meets the empty, opaque summary.
  It->second = std::make_unique<Summary>();
  Summary &S = *It->second;
  Depth++;
  fill(F, S);
  Depth--;
  return S;
}

void Callees::fill(const FunctionDecl *F, Summary &S) {
  if (F->isNoReturn() || F->hasAttr<AnalyzerNoReturnAttr>() || onlyReads(F, C)) {
    S.Transparent = S.Whole = S.Harmless = true;
    S.Linear = F->isNoReturn() || F->isConstexpr() || (F->getIdentifier() && F->getName().starts_with("__builtin_"));
    return;
  }
  if (F->isTrivial() && isa<CXXDestructorDecl>(F)) {
    S.Transparent = S.Whole = S.Linear = S.Harmless = true;
    return;
  }
  switch (F->getBuiltinID()) {
  case Builtin::BImove:
  case Builtin::BIforward:
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
  case Builtin::BI__builtin_addressof:
  case Builtin::BIas_const:
    S.Transparent = S.Whole = S.Linear = S.Harmless = true;
    return;
  default:
    break;
  }
  const FunctionDecl *Definition = nullptr;
  if (Depth > MaxDepth || !isInlinable(F) || !F->hasBody(Definition))
    return;
  Summary Found;
  Found.Transparent = Found.Whole = Found.Linear = true;
  if (const auto *Ctor = dyn_cast<CXXConstructorDecl>(Definition))
    for (const CXXCtorInitializer *I : Ctor->inits())
      visit(I->getInit(), Found);
  visit(Definition->getBody(), Found);
  if (Found.Does.size() > MaxEffects)
    Found.Transparent = false;
  Found.Whole &= Found.Transparent;
  if (!Found.Transparent)
    Found.Does.clear();
  if (const Expr *E = soleReturn(Definition->getBody()); E && Found.Transparent) {
    Path P = Definition->getReturnType()->isReferenceType() ? this->E.paths().lvalue(E) : this->E.paths().value(E);
    if (P.Exact)
      Found.Returned = std::make_unique<Path>(std::move(P));
  }
  S = std::move(Found);
}

void Callees::visitCall(const FunctionDecl *F, Summary &Out) {
  const Summary *S = F ? &of(F) : nullptr;
  Out.Transparent &= S && S->Transparent;
  Out.Whole &= S && S->Whole;
  Out.Linear &= S && S->Linear;
}

// Adds what the arms of a branch do. An opaque arm is left out when the other is
// not; a missing arm does nothing.
void Callees::visitArms(const Stmt *A, const Stmt *B, Summary &Out) {
  bool Passable = false;
  for (const Stmt *Arm : {A, B}) {
    Summary Of;
    Of.Transparent = Of.Whole = Of.Linear = true;
    visit(Arm, Of);
    Out.Whole &= Of.Whole && Of.Transparent;
    if (!Of.Transparent)
      continue;
    Passable = true;
    std::move(Of.Does.begin(), Of.Does.end(), std::back_inserter(Out.Does));
  }
  Out.Transparent &= Passable;
}

void Callees::visit(const Stmt *S, Summary &Out) {
  if (!S || !Out.Transparent || Out.Does.size() > MaxEffects)
    return;
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, LambdaExpr, TypeTraitExpr, RequiresExpr>(S))
    return;
  Out.Linear &= !isBranch(S);
  if (const auto *If = dyn_cast<IfStmt>(S)) {
    if (isConstantEvaluationOnly(If))
      return visit(If->getElse(), Out);
    if (If->isConstexpr())
      if (auto Taken = If->getNondiscardedCase(C))
        return visit(*Taken, Out);
  }
  if (const auto *If = dyn_cast<IfStmt>(S)) {
    for (const Stmt *Part :
         {static_cast<const Stmt *>(If->getInit()), static_cast<const Stmt *>(If->getConditionVariableDeclStmt()),
          static_cast<const Stmt *>(If->getCond())})
      visit(Part, Out);
    return visitArms(If->getThen(), If->getElse(), Out);
  }
  for (const Stmt *Child : S->children())
    visit(Child, Out);
  if (isa<CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, GCCAsmStmt, CXXTryStmt, CoroutineBodyStmt>(S)) {
    const auto *New = dyn_cast<CXXNewExpr>(S);
    if (!isa<CXXThrowExpr>(S) && !(New && Effects::isPlacement(New)))
      Out.Transparent = false;
    if (!New)
      return;
  }
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = Call->getDirectCallee();
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
    visitCall(Method && Method->isVirtual() ? nullptr : F, Out);
  }
  if (const auto *CC = dyn_cast<CXXConstructExpr>(S); CC && !CC->getConstructor()->isTrivial())
    visitCall(CC->getConstructor(), Out);
  std::vector<Effect> Own;
  E.of(S, Own);
  for (Effect &X : Own) {
    // What it does to its own locals is nobody's business.
    const VarDecl *Root = X.Where.At.variable();
    if (X.Where.At.isDirect() && Root && Root->isLocalVarDeclOrParm() && !Root->getType()->isReferenceType())
      continue;
    Out.Does.push_back(std::move(X));
  }
}

} // namespace whyhot::ast
