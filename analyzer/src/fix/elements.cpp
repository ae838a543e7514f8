// What is declared: the spelling of the element type and what initialises it.
#include "fix/elements.h"

#include "fix/library.h"

#include "ast/facts/arguments.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {
const ValueDecl *rootOf(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenImpCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      return D->getDecl();
    if (const auto *M = dyn_cast<MemberExpr>(E); M && isa<FieldDecl>(M->getMemberDecl()))
      return M->getMemberDecl();
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      E = A->getBase();
    else if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
      E = U->getSubExpr();
    else if (const auto *Call = dyn_cast<CallExpr>(E); Call && ast::objectOf(Call))
      E = ast::objectOf(Call);
    else
      return nullptr;
  }
}

QualType Elements::elementOf(QualType T) const {
  T = T.getNonReferenceType();
  if (const auto *A = C.getAsArrayType(T))
    return A->getElementType();
  const CXXRecordDecl *R = stdClass(T);
  const auto *CT = dyn_cast_or_null<ClassTemplateSpecializationDecl>(R);
  if (!CT ||
      !llvm::StringSwitch<bool>(R->getName()).Cases("vector", "array", "basic_string", "deque", true).Default(false))
    return {};
  return CT->getTemplateArgs()[0].getKind() == TemplateArgument::Type ? CT->getTemplateArgs()[0].getAsType()
                                                                      : QualType();
}

void Elements::forbid(const llvm::Twine &Why, const Expr *E) {
  Out.Refusals.push_back(S.remark(Why, E->getBeginLoc()));
}

void Elements::wrap(const Expr *E, const std::string &Before) {
  if (!Wrapped.insert(E).second)
    return;
  auto R = S.range(E->getSourceRange());
  if (!R)
    return forbid("a use that would need a cast is written by a macro", E);
  Out.Edits.push_back(S.insert(R->getBegin(), Before + "("));
  Out.Edits.push_back(S.insert(R->getEnd(), ")"));
}

void Elements::change(const ValueDecl *D) {
  D = cast<ValueDecl>(D->getCanonicalDecl());
  if (!Done.insert(D).second)
    return;
  if (auto Why = seenElsewhere(D, S)) {
    Out.Refusals.push_back(S.remark(*Why, D->getLocation()));
    return;
  }
  declaration(D);
  for (const Expr *E : usesOf(D, C))
    use(E);
}

void Elements::declaration(const ValueDecl *D) {
  const auto *DD = dyn_cast<DeclaratorDecl>(D);
  const std::string Name = "`" + D->getNameAsString() + "`";
  if (DD && DD->getTypeSourceInfo() && DD->getTypeSourceInfo()->getType()->getContainedAutoType())
    return; // what it is deduced from changes
  const CXXRecordDecl *R = stdClass(D->getType());
  if (R && R->getName() == "basic_string") {
    auto Where = S.range(DD->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc().getSourceRange());
    if (!Where || !C.hasSameType(C.getBaseElementType(elementOf(D->getType())), C.CharTy)) {
      Out.Refusals.push_back(S.remark("the type of " + Name + " is not spelled at its declaration", D->getLocation()));
      return;
    }
    Out.Edits.push_back(S.replace(*Where, "std::u8string"));
  } else if (auto Where = DD ? elementSpelling(DD, S) : std::nullopt) {
    Out.Edits.push_back(S.replace(Where->Where, NewName));
  } else {
    Out.Refusals.push_back(
        S.remark("the element type of " + Name + " is not spelled at its declaration", D->getLocation()));
    return;
  }
  if (const auto *V = dyn_cast<VarDecl>(D)) {
    const auto *DS = V->isLocalVarDecl() ? C.getParents(*V)[0].get<DeclStmt>() : nullptr;
    if (DS && !DS->isSingleDecl())
      Out.Refusals.push_back(S.remark("other variables are declared together with " + Name, D->getLocation()));
    if (V->getInit())
      construction(V->getInit());
  } else if (const auto *F = dyn_cast<FieldDecl>(D)) {
    if (F->getInClassInitializer())
      construction(F->getInClassInitializer());
    if (const auto *CR = dyn_cast<CXXRecordDecl>(F->getParent()))
      for (const CXXConstructorDecl *Ctor : CR->ctors())
        for (const CXXCtorInitializer *I : Ctor->inits())
          if (I->isMemberInitializer() && I->getMember() == F && I->isWritten())
            construction(I->getInit());
  }
}

// The initialiser of a container: sizes and values, or another such container.
void Elements::construction(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *FE = dyn_cast<FullExpr>(E))
    return construction(FE->getSubExpr());
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return construction(M->getSubExpr());
  if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(E))
    return construction(B->getSubExpr());
  if (const auto *D = dyn_cast<CXXDefaultInitExpr>(E))
    return construction(D->getExpr());
  if (const auto *FC = dyn_cast<CXXFunctionalCastExpr>(E)) {
    if (!FC->getTypeInfoAsWritten())
      return;
    return forbid("a temporary of the old type initialises it", E);
  }
  if (isa<StringLiteral>(E))
    return forbid("it is initialised by a string literal", E);
  if (const auto *IL = dyn_cast<InitListExpr>(E)) {
    for (const Expr *I : IL->inits())
      if (!isa<ImplicitValueInitExpr>(I) && I->getType()->isArithmeticType()) {
        Expr::EvalResult V;
        if (!I->EvaluateAsInt(V, C) || V.Val.getInt().isNegative())
          wrap(I->IgnoreImpCasts(), "static_cast<" + NewName + ">");
      } else if (!I->getType()->isArithmeticType()) {
        construction(I);
      }
    return;
  }
  if (const auto *CC = dyn_cast<CXXConstructExpr>(E)) {
    if (const auto *T = dyn_cast<CXXTemporaryObjectExpr>(E)) {
      if (!T->getTypeSourceInfo()->getType()->getContainedAutoType() && elementOf(T->getType()).isNull())
        return forbid("a temporary of another type initialises it", E);
      TypeLoc L = T->getTypeSourceInfo()->getTypeLoc();
      auto Chars = S.range(L.getSourceRange());
      StringRef Text = Chars ? Lexer::getSourceText(*Chars, S.SM, C.getLangOpts()) : "";
      const size_t At = Text.find(OldName);
      if (At == StringRef::npos)
        return forbid("the type of a temporary is not spelled", E);
      SourceLocation From = Chars->getBegin().getLocWithOffset(int(At));
      Out.Edits.push_back(
          S.replace(CharSourceRange::getCharRange(From, From.getLocWithOffset(int(OldName.size()))), NewName));
    }
    const unsigned N = CC->getNumArgs();
    unsigned Given = 0;
    while (Given < N && !isa<CXXDefaultArgExpr>(CC->getArg(Given)))
      Given++;
    if (Given == 0 || (Given == 1 && CC->getArg(0)->getType()->isIntegerType()))
      return;
    if (CC->getConstructor()->isCopyOrMoveConstructor()) {
      const Expr *From = CC->getArg(0)->IgnoreParenImpCasts();
      if (const ValueDecl *Other = rootOf(From); Other && isa<DeclRefExpr, MemberExpr>(From))
        return change(Other);
      return construction(From);
    }
    if (Given == 2 && CC->getArg(0)->getType()->isIntegerType()) {
      if (CC->getArg(1)->IgnoreParenImpCasts()->getType()->isArithmeticType())
        return;
      return construction(CC->getArg(1));
    }
    if (isa<CXXStdInitializerListExpr>(CC->getArg(0)->IgnoreParenImpCasts()))
      return construction(cast<CXXStdInitializerListExpr>(CC->getArg(0)->IgnoreParenImpCasts())->getSubExpr());
    return forbid("it is built from something else than a size and a value", E);
  }
  if (const auto *SI = dyn_cast<CXXStdInitializerListExpr>(E))
    return construction(SI->getSubExpr());
  forbid("it is initialised by something that would have to change as well", E);
}

} // namespace whyhot::fix
