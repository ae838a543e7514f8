#include "ast/facts/containers.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMap.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::ast {
namespace {

bool isStd(const NamedDecl *D, bool (*Named)(StringRef)) {
  return D && D->getIdentifier() && D->isInStdNamespace() && Named(D->getName());
}

// Methods of containers that give access to elements and change nothing themselves.
bool isAccessor(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases("begin", "end", "rbegin", "rend", "find", "lower_bound", "upper_bound", "equal_range", true)
      .Cases("at", "front", "back", "data", true)
      .Default(false);
}

// Functions of the library that take iterators and change nothing behind them.
bool isReadingAlgorithm(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases("find", "find_if", "find_if_not", "count", "count_if", "any_of", "all_of", "none_of", "equal", "mismatch",
             true)
      .Cases("binary_search", "lower_bound", "upper_bound", "equal_range", "search", "includes", "adjacent_find", true)
      .Cases("accumulate", "reduce", "min_element", "max_element", "minmax_element", "distance", "is_sorted", true)
      .Cases("begin", "end", "cbegin", "cend", "size", "next", "prev", true)
      .Default(false);
}

bool isConstReference(QualType T) { return T->isLValueReferenceType() && T.getNonReferenceType().isConstQualified(); }

// Follows what may lead to an element from one expression to the next.
class Reads {
public:
  explicit Reads(const Stmt *Body) : Body(Body), Parents(const_cast<Stmt *>(Body)) {}

  // Every use of the variable, which is the container or leads into it.
  bool variable(const VarDecl *V) {
    if (!Seen.insert(V).second)
      return true;
    return uses(V, Body);
  }

private:
  bool uses(const VarDecl *V, const Stmt *S) {
    if (!S)
      return true;
    if (const auto *L = dyn_cast<LambdaExpr>(S)) {
      for (const LambdaCapture &C : L->captures())
        if (C.capturesVariable() && C.getCapturedVar() == V)
          return false;
      return true;
    }
    if (const auto *DRE = dyn_cast<DeclRefExpr>(S); DRE && DRE->getDecl() == V)
      return !DRE->refersToEnclosingVariableOrCapture() && reads(DRE);
    for (const Stmt *Child : S->children())
      if (!uses(V, Child))
        return false;
    return true;
  }

  // What is done with the container, an element, or an iterator or a pointer to one.
  bool reads(const Expr *E) {
    const Stmt *Up = Parents.getParent(E);
    if (!Up)
      return false;
    if (isa<ParenExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr, ExprWithCleanups, ConditionalOperator>(Up))
      return ignored(Up) || reads(cast<Expr>(Up));
    if (const auto *CE = dyn_cast<CastExpr>(Up))
      return cast_(CE);
    if (isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt>(Up))
      return true; // the value is not used
    if (const auto *ME = dyn_cast<MemberExpr>(Up))
      return member(ME);
    if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(Up))
      return operation(OC, E);
    if (const auto *CC = dyn_cast<CXXConstructExpr>(Up))
      return construction(CC, E);
    if (const auto *Call = dyn_cast<CallExpr>(Up))
      return argument(Call, E);
    if (const auto *DS = dyn_cast<DeclStmt>(Up))
      return declared(DS, E);
    if (const auto *UO = dyn_cast<UnaryOperator>(Up))
      return UO->getOpcode() == UO_Deref || UO->getOpcode() == UO_LNot
                 ? reads(UO)
                 : UO->isIncrementDecrementOp() && UO->getSubExpr()->getType()->isPointerType();
    if (const auto *AS = dyn_cast<ArraySubscriptExpr>(Up))
      return AS->getBase() == E && reads(AS);
    if (const auto *BO = dyn_cast<BinaryOperator>(Up))
      return BO->isComparisonOp() || (BO->isAdditiveOp() && reads(BO)) || BO->isLogicalOp();
    return false;
  }

  bool ignored(const Stmt *S) const {
    return isa<ExprWithCleanups>(S) && isa_and_nonnull<CompoundStmt>(Parents.getParent(S));
  }

  bool cast_(const CastExpr *CE) {
    if (CE->getCastKind() == CK_LValueToRValue && !CE->getType()->isPointerType())
      return true;
    if (CE->getCastKind() == CK_PointerToBoolean || CE->getCastKind() == CK_ToVoid)
      return true;
    // From here on nothing can be changed through it.
    if (CE->isGLValue() && CE->getType().isConstQualified() && !isIterator(CE->getType()))
      return true;
    if (const auto Pointee = CE->getType()->getPointeeType(); !Pointee.isNull() && Pointee.isConstQualified())
      return true;
    return reads(CE);
  }

  bool member(const MemberExpr *ME) {
    const auto *Method = dyn_cast<CXXMethodDecl>(ME->getMemberDecl());
    if (!Method)
      return isa<FieldDecl>(ME->getMemberDecl()) && reads(ME);
    const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(Parents.getParent(ME));
    if (!Call)
      return false;
    if (Method->isStatic())
      return true;
    const bool Accessor =
        Method->getParent()->isInStdNamespace() && Method->getIdentifier() && isAccessor(Method->getName());
    if (Method->isConst() && (!Accessor || leadsNowhere(Call) || isConstReference(Method->getReturnType())))
      return !leadsOn(Method->getReturnType()) || reads(Call);
    return Accessor && reads(Call);
  }

  static bool leadsNowhere(const Expr *E) { return E->isPRValue() && E->getType()->isArithmeticType(); }

  // A result through which elements can be reached and changed.
  static bool leadsOn(QualType T) {
    if (T->isReferenceType() || T->isPointerType())
      return !T->getPointeeType().isConstQualified();
    return isIterator(T);
  }

  static bool isIterator(QualType T) {
    const auto *RD = T.getNonReferenceType()->getAsCXXRecordDecl();
    if (!RD || !RD->getIdentifier())
      return false;
    const StringRef Name = RD->getName();
    return Name.contains("iterator") && !Name.contains("const_iterator");
  }

  bool operation(const CXXOperatorCallExpr *OC, const Expr *E) {
    if (OC->getNumArgs() == 0)
      return false;
    const auto *F = OC->getDirectCallee();
    if (!F)
      return false;
    switch (OC->getOperator()) {
    case OO_Star:
    case OO_Arrow:
    case OO_Plus:
    case OO_Minus:
      return OC->getArg(0) != E || leadsNowhere(OC) || reads(OC);
    case OO_PlusPlus:
    case OO_MinusMinus:
      return isIteratorLike(E->getType());
    case OO_Subscript:
      if (OC->getArg(0) != E)
        return passes(F, OC, E);
      return isConstReference(F->getReturnType()) || reads(OC);
    default:
      return passes(F, OC, E);
    }
  }

  static bool isIteratorLike(QualType T) {
    const auto *RD = T.getNonReferenceType()->getAsCXXRecordDecl();
    return RD && RD->getIdentifier() && RD->getName().contains("iterator");
  }

  // Is the argument taken by value or as const, by a function that keeps no way in?
  bool passes(const FunctionDecl *F, const CallExpr *Call, const Expr *E) const {
    const bool Method = isa<CXXMethodDecl>(F) && isa<CXXOperatorCallExpr>(Call);
    for (unsigned I = 0; I < Call->getNumArgs(); I++) {
      if (Call->getArg(I) != E)
        continue;
      if (Method && I == 0)
        return cast<CXXMethodDecl>(F)->isConst();
      const unsigned P = Method ? I - 1 : I;
      if (P >= F->getNumParams())
        return false;
      const QualType T = F->getParamDecl(P)->getType();
      return isConstReference(T) || (!T->isReferenceType() && !T->isPointerType() && !isIterator(T));
    }
    return false;
  }

  bool construction(const CXXConstructExpr *CC, const Expr *E) {
    const CXXConstructorDecl *Made = CC->getConstructor();
    for (unsigned I = 0; I < CC->getNumArgs() && I < Made->getNumParams(); I++) {
      if (CC->getArg(I) != E)
        continue;
      const QualType T = Made->getParamDecl(I)->getType();
      // A copy of an iterator leads on; one of the container or of an element does not.
      if (isIteratorLike(CC->getType()) || T->isRValueReferenceType())
        return isIteratorLike(CC->getType()) && reads(CC);
      return isConstReference(T) || (!T->isReferenceType() && !isIterator(T));
    }
    return false;
  }

  bool argument(const CallExpr *Call, const Expr *E) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || Call->getCallee() == E)
      return false;
    if (isStd(F, isReadingAlgorithm))
      return !leadsOn(F->getReturnType()) || reads(Call);
    return passes(F, Call, E);
  }

  bool declared(const DeclStmt *DS, const Expr *E) {
    for (const Decl *D : DS->decls()) {
      const auto *V = dyn_cast<VarDecl>(D);
      if (!V || !V->getInit())
        continue;
      const Expr *Init = V->getInit();
      if (Init != E && Init->IgnoreImplicit() != E->IgnoreImplicit() && !within(Init, E))
        continue;
      if (isConstReference(V->getType()) ||
          (!V->getType()->isReferenceType() && !V->getType()->isPointerType() && !isIterator(V->getType())))
        return true;
      return !isa<DecompositionDecl>(V) && variable(V);
    }
    return false;
  }

  static bool within(const Stmt *S, const Stmt *What) {
    if (S == What)
      return true;
    for (const Stmt *Child : S->children())
      if (Child && within(Child, What))
        return true;
    return false;
  }

  const Stmt *Body;
  mutable ParentMap Parents;
  llvm::SmallPtrSet<const VarDecl *, 8> Seen;
};

} // namespace

std::string containerName(QualType T) {
  const auto *RD = T.getNonReferenceType()->getAsCXXRecordDecl();
  if (!RD || !RD->getIdentifier() || !RD->isInStdNamespace())
    return "";
  const bool Is = llvm::StringSwitch<bool>(RD->getName())
                      .Cases("vector", "deque", "list", "forward_list", true)
                      .Cases("map", "multimap", "set", "multiset", true)
                      .Cases("unordered_map", "unordered_multimap", "unordered_set", "unordered_multiset", true)
                      .Default(false);
  return Is ? "std::" + RD->getName().str() : "";
}

bool isOnlyRead(const VarDecl *V, const Stmt *Body) { return Reads(Body).variable(V); }

} // namespace whyhot::ast
