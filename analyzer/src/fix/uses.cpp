#include "fix/uses.h"

#include "ast/walk.h"

#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace whyhot::fix {
namespace {

class Finder final : public ast::Walk {
public:
  explicit Finder(const ValueDecl *D) : Walk({.Instantiations = true}), Wanted(D->getCanonicalDecl()) {}

  std::vector<const Expr *> Found;

private:
  void stmt(Stmt *S) override {
    if (const auto *E = dyn_cast<DeclRefExpr>(S))
      note(E, E->getDecl());
    else if (const auto *E = dyn_cast<MemberExpr>(S))
      note(E, E->getMemberDecl());
  }
  void note(const Expr *E, const ValueDecl *D) {
    if (D->getCanonicalDecl() == Wanted && !llvm::is_contained(Found, E))
      Found.push_back(E);
  }
  const Decl *Wanted;
};

// The innermost template argument, or the type itself.
TypeLoc innermost(TypeLoc T) {
  for (;;) {
    T = T.getUnqualifiedLoc();
    if (auto E = T.getAs<ElaboratedTypeLoc>())
      T = E.getNamedTypeLoc();
    else if (auto R = T.getAs<ReferenceTypeLoc>())
      T = R.getPointeeLoc();
    else if (auto A = T.getAs<ArrayTypeLoc>())
      T = A.getElementLoc();
    else if (auto P = T.getAs<PointerTypeLoc>())
      T = P.getPointeeLoc();
    else if (auto S = T.getAs<TemplateSpecializationTypeLoc>()) {
      if (S.getNumArgs() == 0 || S.getArgLoc(0).getArgument().getKind() != TemplateArgument::Type)
        return {};
      T = S.getArgLoc(0).getTypeSourceInfo()->getTypeLoc();
    } else
      return T;
  }
}

} // namespace

std::vector<const Expr *> usesOf(const ValueDecl *D, ASTContext &C) {
  Finder F(D);
  F.traverse(C.getTranslationUnitDecl());
  return std::move(F.Found);
}

const Stmt *parentOf(const Stmt *S, ASTContext &C) {
  DynTypedNodeList P = C.getParents(*S);
  return P.empty() ? nullptr : P[0].get<Stmt>();
}

const VarDecl *initialised(const Stmt *S, ASTContext &C) {
  DynTypedNodeList P = C.getParents(*S);
  return P.empty() ? nullptr : P[0].get<VarDecl>();
}

const Expr *outermost(const Expr *E, ASTContext &C) {
  for (;;) {
    const Stmt *P = parentOf(E, C);
    if (!P || !isa<ParenExpr, ImplicitCastExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(P))
      return E;
    E = cast<Expr>(P);
  }
}

bool anyIntegerDoes(const Expr *Value, ASTContext &C) {
  const Expr *E = outermost(Value, C);
  const Stmt *P = parentOf(E, C);
  if (const VarDecl *V = initialised(E, C)) {
    TypeSourceInfo *T = V->getTypeSourceInfo();
    return V->getType()->isArithmeticType() && T && !T->getType()->getContainedAutoType();
  }
  if (!P)
    return false;
  if (const auto *BO = dyn_cast<BinaryOperator>(P)) {
    const bool Assigns = BO->isAssignmentOp();
    return Assigns ? BO->getRHS() == E && BO->getLHS()->getType()->isArithmeticType()
                   : BO->isLogicalOp() || BO->isAdditiveOp() || BO->isMultiplicativeOp() || BO->isShiftOp() ||
                         BO->isBitwiseOp() || BO->isComparisonOp();
  }
  if (const auto *UO = dyn_cast<UnaryOperator>(P))
    return UO->getOpcode() == UO_LNot || UO->isArithmeticOp();
  if (const auto *Cond = dyn_cast<ConditionalOperator>(P))
    return Cond->getCond() == E;
  if (const auto *AS = dyn_cast<ArraySubscriptExpr>(P))
    return AS->getIdx()->IgnoreParenImpCasts() == Value->IgnoreParenImpCasts();
  if (isa<CStyleCastExpr, CXXStaticCastExpr, CXXFunctionalCastExpr>(P))
    return cast<Expr>(P)->getType()->isArithmeticType() || cast<Expr>(P)->getType()->isVoidType();
  // A value that is converted to the type of the function tells it nothing of its
  // own; one that is not may be what the type is deduced from.
  if (isa<ReturnStmt>(P) && C.getLangOpts().CPlusPlus)
    return E != Value && E->getType()->isArithmeticType() && !C.hasSameType(E->getType(), Value->getType());
  if (isa<CallExpr, ReturnStmt>(P))
    return E->getType()->isArithmeticType() && !C.getLangOpts().CPlusPlus;
  if (isa<CompoundStmt>(P))
    return true;
  if (const auto *For = dyn_cast<ForStmt>(P))
    return For->getCond() == E || For->getInc() == E;
  return isa<IfStmt, WhileStmt, DoStmt, SwitchStmt>(P);
}

bool isDiscarded(const Expr *E, ASTContext &C) {
  E = outermost(E, C);
  const Stmt *P = parentOf(E, C);
  if (const auto *For = dyn_cast_or_null<ForStmt>(P))
    return For->getInc() == E || For->getInit() == E || For->getBody() == E;
  if (const auto *If = dyn_cast_or_null<IfStmt>(P))
    return If->getThen() == E || If->getElse() == E;
  if (const auto *While = dyn_cast_or_null<WhileStmt>(P))
    return While->getBody() == E;
  if (const auto *Range = dyn_cast_or_null<CXXForRangeStmt>(P))
    return Range->getBody() == E;
  const auto *Comma = dyn_cast_or_null<BinaryOperator>(P);
  if (Comma && Comma->getOpcode() == BO_Comma)
    return Comma->getLHS() == E || isDiscarded(Comma, C);
  return P && isa<CompoundStmt, SwitchCase, LabelStmt, DoStmt>(P);
}

std::optional<std::string> seenElsewhere(const ValueDecl *D, const Source &S) {
  const std::string Name = "`" + D->getNameAsString() + "`";
  if (isa<ParmVarDecl>(D))
    return Name + " is a parameter: callers would have to change with it";
  const bool InMain = S.SM.isWrittenInMainFile(S.SM.getExpansionLoc(D->getLocation()));
  if (const auto *V = dyn_cast<VarDecl>(D)) {
    if (V->isLocalVarDecl() || (V->getFormalLinkage() == Linkage::Internal && InMain))
      return std::nullopt;
    return Name + " is a variable that other units see";
  }
  if (const auto *F = dyn_cast<FieldDecl>(D)) {
    if (F->getParent()->getParentFunctionOrMethod() || InMain)
      return std::nullopt;
    return Name + " is a member of a class in a header: other units see it";
  }
  return Name + " is no variable";
}

std::optional<Spelling> elementSpelling(const DeclaratorDecl *D, const Source &S) {
  TypeSourceInfo *T = D->getTypeSourceInfo();
  if (!T)
    return std::nullopt;
  TypeLoc L = innermost(T->getTypeLoc());
  if (L.isNull() || !(L.getAs<BuiltinTypeLoc>() || L.getAs<TypedefTypeLoc>() || L.getAs<UsingTypeLoc>()))
    return std::nullopt;
  // A qualified name is replaced with its qualifier.
  SourceRange Range = L.getSourceRange();
  TypeLoc Outer = T->getTypeLoc();
  while (!Outer.isNull()) {
    if (auto E = Outer.getAs<ElaboratedTypeLoc>(); E && E.getNamedTypeLoc() == L)
      Range = E.getSourceRange();
    if (auto TS = Outer.getAs<TemplateSpecializationTypeLoc>())
      Outer = TS.getNumArgs() > 0 && TS.getArgLoc(0).getTypeSourceInfo()
                  ? TS.getArgLoc(0).getTypeSourceInfo()->getTypeLoc()
                  : TypeLoc();
    else
      Outer = Outer.getNextTypeLoc();
  }
  auto Chars = S.range(Range);
  if (!Chars)
    return std::nullopt;
  return Spelling{*Chars, Lexer::getSourceText(*Chars, S.SM, S.C.getLangOpts()).str()};
}

bool isWrapper(const Stmt *P) {
  return P && isa<ParenExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(P);
}

const FunctionDecl *functionAround(const Stmt *S, ASTContext &C) {
  DynTypedNodeList P = C.getParents(*S);
  while (!P.empty()) {
    if (const auto *L = P[0].get<LambdaExpr>())
      return L->getCallOperator();
    if (const auto *F = P[0].get<FunctionDecl>())
      return F;
    P = C.getParents(P[0]);
  }
  return nullptr;
}

} // namespace whyhot::fix
