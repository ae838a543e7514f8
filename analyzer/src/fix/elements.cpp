#include "fix/elements.h"

#include "ast/facts/path.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {
namespace {

const CXXRecordDecl *stdClass(QualType T) {
  T = T.getNonReferenceType();
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  return R && R->isInStdNamespace() && R->getIdentifier() ? R : nullptr;
}

bool isBoolean(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
      Call && isa_and_nonnull<CXXConversionDecl>(Call->getMethodDecl()))
    return true;
  if (E->getType()->isBooleanType())
    return true;
  const auto *L = dyn_cast<IntegerLiteral>(E);
  return L && L->getValue().ule(1);
}

// Comparisons and the like are int in C, but 0 or 1.
bool isBitReference(QualType T) {
  const CXXRecordDecl *R = stdClass(T);
  return R && R->getName() == "_Bit_reference";
}

} // namespace

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
        return stored(CC->getArg(1));
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

// E names the declaration itself.
void Elements::use(const Expr *E) {
  if (E->getBeginLoc().isMacroID() && !S.range(E->getSourceRange()))
    return forbid("a macro uses it", E);
  container(E);
}

void Elements::container(const Expr *E) {
  QualType Element = elementOf(E->getType());
  if (Element.isNull()) // a loop variable that is an element
    return element(E);
  const bool Last = elementOf(Element).isNull();
  const Expr *Top = E;
  const Stmt *P = parentOf(E, C);
  while (P && isa<ParenExpr>(P))
    Top = cast<Expr>(P), P = parentOf(Top, C);
  if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(P)) {
    if (Cast->getCastKind() == CK_NoOp)
      Top = Cast, P = parentOf(Cast, C);
    else if (Cast->getCastKind() == CK_ArrayToPointerDecay) {
      const auto *AS = dyn_cast_or_null<ArraySubscriptExpr>(parentOf(Cast, C));
      if (AS && AS->getBase() == Cast)
        return Last ? element(AS) : container(AS);
      return pointer(Cast);
    }
  }
  if (const auto *M = dyn_cast_or_null<MemberExpr>(P))
    return member(M, dyn_cast_or_null<CallExpr>(parentOf(M, C)));
  if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(P)) {
    switch (Call->getOperator()) {
    case OO_Subscript:
      if (Call->getArg(0) == Top)
        return Last ? element(Call) : container(Call);
      break;
    case OO_Equal:
    case OO_EqualEqual:
    case OO_ExclaimEqual:
      return follow(E, Call->getArg(Call->getArg(0) == Top ? 1 : 0), Call);
    case OO_PlusEqual:
      if (Call->getArg(1)->IgnoreParenImpCasts()->getType()->isIntegerType())
        return stored(Call->getArg(1));
      break;
    default:
      break;
    }
    return forbid("`" + S.text(E) + "` is used by an operator that does not take the new type", E);
  }
  if (const VarDecl *V = initialised(outermost(Top, C), C)) {
    if (V->getName().starts_with("__range"))
      return loopVariable(cast<CXXForRangeStmt>(parentOf(C.getParents(*V)[0].get<DeclStmt>(), C)));
    return change(V);
  }
  if (const auto *CC = dyn_cast_or_null<CXXConstructExpr>(parentOf(outermost(Top, C), C));
      CC && CC->getConstructor()->isCopyOrMoveConstructor())
    if (const VarDecl *V = initialised(outermost(CC, C), C))
      return change(V);
  if (const auto *CC = dyn_cast_or_null<CXXConstructExpr>(P); CC && CC->getConstructor()->isCopyOrMoveConstructor())
    if (const VarDecl *V = initialised(outermost(CC, C), C))
      return change(V);
  if (isa_and_nonnull<UnaryExprOrTypeTraitExpr>(P) && !isBits())
    return;
  const auto *Call = dyn_cast_or_null<CallExpr>(P);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  if (F)
    return forbid("`" + S.text(E) + "` is passed to `" + F->getQualifiedNameAsString() + "`", E);
  forbid("`" + S.text(E) + "` is used where its type matters", E);
}

// Another container that must have the same type.
void Elements::follow(const Expr *E, const Expr *Other, const Expr *) {
  const Expr *X = Other->IgnoreParenImpCasts();
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(X))
    return construction(M->getSubExpr());
  if (isa<DeclRefExpr, MemberExpr>(X))
    if (const ValueDecl *D = rootOf(X))
      return change(D);
  forbid("`" + S.text(E) + "` is joined with something that would have to change as well", E);
}

void Elements::member(const MemberExpr *M, const CallExpr *Call) {
  const StringRef Name = M->getMemberDecl()->getName();
  if (!Call)
    return forbid("a member of it is used without a call", M);
  const QualType Element =
      elementOf(M->isArrow() ? M->getBase()->getType()->getPointeeType() : M->getBase()->getType());
  const bool Last = !Element.isNull() && elementOf(Element).isNull();
  unsigned Given = 0;
  while (Given < Call->getNumArgs() && !isa<CXXDefaultArgExpr>(Call->getArg(Given)))
    Given++;
  if (llvm::StringSwitch<bool>(Name)
          .Cases("size", "empty", "clear", "reserve", "capacity", "shrink_to_fit", "pop_back", "max_size", "length",
                 true)
          .Default(false))
    return;
  if (Name == "at" || Name == "front" || Name == "back")
    return Last ? element(Call) : container(Call);
  if (Name == "resize" || Name == "assign" || Name == "push_back" || Name == "emplace_back") {
    const unsigned At = Name == "resize" || Name == "assign" ? 1 : 0;
    if (Name == "emplace_back" && !isDiscarded(Call, C))
      return forbid("the result of emplace_back is used", M);
    if (Given <= At)
      return Name == "resize" || Name == "emplace_back" ? void() : forbid("assign from another container", M);
    if (Given > At + 1 || (At == 1 && !Call->getArg(0)->getType()->isIntegerType()))
      return forbid("assign from another container", M);
    if (Last)
      return stored(Call->getArg(At));
    return construction(Call->getArg(At));
  }
  if (!isBits() && (Name == "data" || Name == "c_str"))
    return pointer(Call);
  if (Name == "begin" || Name == "end" || Name == "cbegin" || Name == "cend") {
    const Expr *Whole = outermost(Call, C);
    const Stmt *P = parentOf(Whole, C);
    if (const auto *CC = dyn_cast_or_null<CXXConstructExpr>(P)) // iterators are copied
      P = parentOf(outermost(CC, C), C);
    const auto *User = dyn_cast_or_null<CallExpr>(P);
    const FunctionDecl *F = User ? User->getDirectCallee() : nullptr;
    if (F && F->isInStdNamespace() && F->getIdentifier() && User->getNumArgs() == 3 &&
        llvm::StringSwitch<bool>(F->getName()).Cases("fill", "count", true).Default(false) && Last)
      return stored(User->getArg(2));
    if (const auto *V = initialised(Whole, C); V && V->isImplicit())
      return; // the compiler's own, of a range-for
    return forbid("its iterators are used", M);
  }
  forbid("`" + Name + "` of the new type does something else, or nothing", M);
}

// The elements seen through a pointer of their old type: allowed for types that
// may look at any object.
void Elements::pointer(const Expr *E) {
  const Expr *Inner = E->IgnoreImpCasts();
  const Expr *Top = outermost(E, C);
  const Stmt *P = parentOf(Top, C);
  if (const auto *BO = dyn_cast_or_null<BinaryOperator>(P); BO && BO->isAdditiveOp())
    return pointer(BO);
  const auto *Call = dyn_cast_or_null<CallExpr>(P);
  if (!Call || isBits())
    return forbid("`" + S.text(Inner) + "` is kept as a pointer of the old type", Inner);
  if (Top->getType()->isVoidPointerType())
    return;
  std::string To = Top->getType()->getPointeeType().isConstQualified() ? "const " + OldName : OldName;
  wrap(Inner, "reinterpret_cast<" + To + " *>");
}

void Elements::loopVariable(const CXXForRangeStmt *For) {
  const VarDecl *V = For->getLoopVariable();
  QualType T = V->getType();
  if (!elementOf(T).isNull()) {
    if (!V->getTypeSourceInfo()->getType()->getContainedAutoType())
      return forbid("the loop variable's type would have to change", For->getRangeInit());
    Done.insert(V->getCanonicalDecl());
    for (const Expr *E : usesOf(V, C))
      container(E);
    return;
  }
  const bool Auto = V->getTypeSourceInfo()->getType()->getContainedAutoType() != nullptr;
  if (!Auto) {
    if (T->isReferenceType() && !T->getPointeeType().isConstQualified())
      return forbid("a reference of the old type is bound to the elements", For->getRangeInit());
    return;
  }
  for (const Expr *E : usesOf(V, C)) {
    if (!T->isReferenceType() && isBits())
      if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(parentOf(E, C));
          Call && Call->getOperator() == OO_Equal && Call->getArg(0) == E)
        return forbid("the loop variable writes through a proxy", E);
    element(E);
  }
}

// E is one element: what is done with it?
void Elements::element(const Expr *E) {
  const Expr *Top = E;
  const Stmt *P = parentOf(E, C);
  while (P && (isa<ParenExpr, MaterializeTemporaryExpr>(P) ||
               (isa<ImplicitCastExpr>(P) && cast<ImplicitCastExpr>(P)->getCastKind() == CK_NoOp)))
    Top = cast<Expr>(P), P = parentOf(Top, C);
  if (isBits()) {
    if (!isBitReference(E->getType())) // of a constant vector: a value
      return read(E, E);
    if (const auto *M = dyn_cast_or_null<MemberExpr>(P)) {
      if (isa<CXXConversionDecl>(M->getMemberDecl()))
        return read(cast<Expr>(parentOf(M, C)), E);
      return forbid("`" + M->getMemberDecl()->getNameAsString() + "` of an element", E);
    }
    if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(P); Call && Call->getOperator() == OO_Equal) {
      if (Call->getArg(0) == Top)
        return isDiscarded(Call, C) ? stored(Call->getArg(1)) : forbid("the result of an assignment is used", E);
      return; // another element is assigned this one
    }
    if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(P))
      if (Call->getOperator() == OO_EqualEqual || Call->getOperator() == OO_Less)
        return;
    return forbid("the proxy of an element is kept or passed on", E);
  }
  if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(P); Cast && Cast->getCastKind() == CK_LValueToRValue)
    return read(Cast, E);
  if (const auto *BO = dyn_cast_or_null<BinaryOperator>(P); BO && BO->isAssignmentOp() && BO->getLHS() == Top) {
    if (!isDiscarded(BO, C))
      return forbid("the result of an assignment is used", E);
    if (BO->isCompoundAssignmentOp() && Old->isSignedIntegerType() && BO->getOpcode() != BO_XorAssign &&
        BO->getOpcode() != BO_OrAssign && BO->getOpcode() != BO_AndAssign && BO->getOpcode() != BO_AddAssign &&
        BO->getOpcode() != BO_SubAssign)
      return forbid("the sign of the element matters to an operator", E);
    return;
  }
  if (const auto *UO = dyn_cast_or_null<UnaryOperator>(P); UO && UO->isIncrementDecrementOp())
    return isDiscarded(UO, C) ? void() : forbid("the result of an increment is used", E);
  if (const auto *UO = dyn_cast_or_null<UnaryOperator>(P); UO && UO->getOpcode() == UO_AddrOf)
    return pointer(UO);
  forbid("a reference to an element is kept or passed on", E);
}

void Elements::read(const Expr *Value, const Expr *Element) {
  if (anyIntegerDoes(Value, C) && !Old->isSignedIntegerType())
    return;
  wrap(Element->IgnoreImpCasts(), isBits() ? "bool" : "static_cast<" + OldName + ">");
}

// A value that becomes an element.
void Elements::stored(const Expr *Value) {
  const Expr *E = Value->IgnoreParenImpCasts();
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    E = M->getSubExpr()->IgnoreParenImpCasts();
  if (!isBits() || isBoolean(E) || isBitReference(E->getType()))
    return;
  wrap(E, "bool");
}

} // namespace whyhot::fix
