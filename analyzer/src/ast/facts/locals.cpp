#include "ast/facts/locals.h"

#include "ast/facts/arguments.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::ast {
namespace {

// Memory that nothing else points to yet.
bool isFresh(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *FE = dyn_cast<FullExpr>(E))
    E = FE->getSubExpr()->IgnoreParenCasts();
  if (isa<CXXNewExpr>(E))
    return true;
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  if (!F)
    return false;
  if (F->hasAttr<RestrictAttr>()) // __attribute__((malloc))
    return true;
  switch (F->getBuiltinID()) {
  case Builtin::BImalloc:
  case Builtin::BIcalloc:
  case Builtin::BI__builtin_alloca:
  case Builtin::BIalloca:
    return true;
  default:
    return false;
  }
}

// A standard container that owns what it points to.
bool ownsItsElements(QualType T) {
  const auto *RD = T->getAsCXXRecordDecl();
  if (!RD || !RD->isInStdNamespace() || !RD->getIdentifier())
    return false;
  return llvm::StringSwitch<bool>(RD->getName())
      .Cases("vector", "basic_string", "unique_ptr", "deque", true)
      .Default(false);
}

} // namespace

Locals::Locals(const FunctionDecl *F, Callees &K) : F(F->getCanonicalDecl()), K(K) {
  for (const ParmVarDecl *P : F->parameters()) // a pointer parameter may point anywhere
    if (P->getType()->isPointerType())
      Pointers[P].Known = true;
  scan(F->getBody());
}

// What a lambda captures by reference is a local variable, but not one of its own: the
// function around it can have let it escape.
bool Locals::isLocal(const VarDecl *V) const {
  if (!V || !V->hasLocalStorage() || !V->isLocalVarDeclOrParm())
    return false;
  const auto *In = dyn_cast<FunctionDecl>(V->getDeclContext());
  return In && In->getCanonicalDecl() == F;
}

bool Locals::isRestrict(const VarDecl *V) {
  return isa_and_nonnull<ParmVarDecl>(V) && V->getType().isRestrictQualified();
}

bool Locals::isPrivate(const VarDecl *V) const {
  if (!isLocal(V) || V->getType()->isReferenceType())
    return false;
  // An object that is passed by value through a hidden reference is the caller's.
  if (isa<ParmVarDecl>(V))
    if (const auto *RD = V->getType()->getAsCXXRecordDecl(); RD && !RD->canPassInRegisters())
      return false;
  return !Escaped.contains(V->getCanonicalDecl());
}

bool Locals::isShared(const Path &P) const {
  const VarDecl *V = P.At.variable();
  if (P.At.isTemporary() || isRestrict(V))
    return false;
  if (P.At.isDirect() && V)
    return !isPrivate(V) && !V->getType().isConstQualified();
  return !V || !isOwnMemory(P);
}

bool Locals::isLoaded(const Path &P) const {
  return isShared(P) || (P.At.isDirect() && P.At.variable() && Given.contains(P.At.variable()));
}

bool Locals::isOwnMemory(const Path &P) const {
  if (P.At.isTemporary())
    return true;
  const VarDecl *V = P.At.variable();
  if (!V)
    return false;
  if (P.At.isDirect())
    return isPrivate(V);
  if (!isLocal(V) || V->getType()->isReferenceType() || isa<ParmVarDecl>(V) || P.At.follows() != 1)
    return false;
  if (ownsItsElements(V->getType()))
    return isPrivate(V);
  auto It = Pointers.find(V->getCanonicalDecl());
  if (It == Pointers.end())
    return false;
  const Origin &O = It->second;
  if (O.Reassigned || Escaped.contains(V->getCanonicalDecl()))
    return false;
  return O.Fresh || (O.Known && O.From.Address && O.From.At.isDirect() && isPrivate(O.From.At.variable()));
}

AccessPath Locals::castFrom(const VarDecl *V) const {
  auto It = Pointers.find(V ? V->getCanonicalDecl() : nullptr);
  if (It == Pointers.end() || !It->second.Known || !It->second.From.Cast)
    return {};
  AccessPath Object = It->second.From.At;
  if (!It->second.From.Address)
    Object.follow();
  return Object;
}

void Locals::note(const VarDecl *V, const Expr *Init) {
  if (!V->getType()->isPointerType())
    return;
  Origin &O = Pointers[V->getCanonicalDecl()];
  O.Reassigned |= O.Known || O.Fresh;
  O.Fresh = isFresh(Init);
  O.From = K.effects().paths().value(Init);
  O.Known = true;
}

void Locals::escape(const Expr *E) {
  if (!E || (!E->isGLValue() && !E->getType()->isPointerType()))
    return;
  Path P = E->isGLValue() ? K.effects().paths().lvalue(E) : K.effects().paths().value(E);
  if ((E->isGLValue() || P.Address) && P.At.isDirect() && isLocal(P.At.variable()))
    Escaped.insert(P.At.variable());
}

// A call lets an argument escape unless its body says otherwise. Library
// functions with a builtin's semantics keep no pointer.
void Locals::scanCall(const CallExpr *E) {
  const FunctionDecl *F = E->getDirectCallee();
  if (F && F->getBuiltinID() && F->isVariadic())
    for (const Expr *A : E->arguments())
      if (const Path P = K.effects().paths().value(A); P.Address && P.At.isDirect() && isLocal(P.At.variable()))
        Given.insert(P.At.variable());
  if (F && (F->getBuiltinID() || K.of(F).Whole))
    return;
  if (const Expr *Object = objectOf(E))
    if (!Object->getType()->isPointerType())
      escape(Object);
  for (const Expr *A : E->arguments())
    escape(A);
}

void Locals::scan(const Stmt *S) {
  if (!S || isa<UnaryExprOrTypeTraitExpr>(S))
    return;
  if (const auto *L = dyn_cast<LambdaExpr>(S)) {
    for (const LambdaCapture &Capture : L->captures())
      if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByRef)
        if (const auto *V = dyn_cast<VarDecl>(Capture.getCapturedVar()))
          Escaped.insert(V->getCanonicalDecl());
    return;
  }
  if (const auto *DS = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : DS->decls())
      if (const auto *V = dyn_cast<VarDecl>(D); V && V->getInit())
        note(V, V->getInit());
  } else if (const auto *BO = dyn_cast<BinaryOperator>(S); BO && BO->getOpcode() == BO_Assign) {
    Path To = K.effects().paths().lvalue(BO->getLHS());
    const auto *DRE = dyn_cast<DeclRefExpr>(BO->getLHS()->IgnoreParens());
    if (const auto *V = DRE ? dyn_cast<VarDecl>(DRE->getDecl()) : nullptr)
      note(V, BO->getRHS());
    if (!To.At.isDirect() || !isLocal(To.At.variable()))
      escape(BO->getRHS());
  } else if (const auto *RS = dyn_cast<ReturnStmt>(S)) {
    if (const Expr *E = RS->getRetValue(); E && (E->isGLValue() || E->getType()->isPointerType()))
      escape(E);
  } else if (const auto *Call = dyn_cast<CallExpr>(S)) {
    scanCall(Call);
  } else if (const auto *CC = dyn_cast<CXXConstructExpr>(S)) {
    if (!CC->getConstructor()->isTrivial() && !K.of(CC->getConstructor()).Whole)
      for (const Expr *A : CC->arguments())
        escape(A);
  } else if (const auto *IL = dyn_cast<InitListExpr>(S)) {
    for (const Expr *I : IL->inits())
      if (I && I->getType()->isPointerType())
        escape(I);
  }
  for (const Stmt *Child : S->children())
    scan(Child);
}

} // namespace whyhot::ast
