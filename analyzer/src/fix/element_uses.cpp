// What uses the elements: which uses take the new type, which need a cast.
#include "fix/elements.h"

#include "fix/library.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {

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
        return;
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
  if (isa_and_nonnull<UnaryExprOrTypeTraitExpr>(P))
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
      return;
    return construction(Call->getArg(At));
  }
  if (Name == "data" || Name == "c_str")
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
      return;
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
  if (!Call)
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
  for (const Expr *E : usesOf(V, C))
    element(E);
}

// E is one element: what is done with it?
void Elements::element(const Expr *E) {
  const Expr *Top = E;
  const Stmt *P = parentOf(E, C);
  while (P && (isa<ParenExpr, MaterializeTemporaryExpr>(P) ||
               (isa<ImplicitCastExpr>(P) && cast<ImplicitCastExpr>(P)->getCastKind() == CK_NoOp)))
    Top = cast<Expr>(P), P = parentOf(Top, C);
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
  wrap(Element->IgnoreImpCasts(), "static_cast<" + OldName + ">");
}

} // namespace whyhot::fix
