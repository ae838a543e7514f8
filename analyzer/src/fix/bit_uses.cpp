// What is done with packed bits as a whole: which expressions tie declarations
// together, and which uses forbid a change.
#include "fix/bits.h"

#include "fix/library.h"
#include "fix/uses.h"

#include "ast/facts/arguments.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {
namespace {

// Of the standard library, the namespaces of libstdc++ beside std too.
bool ofLibrary(const Decl *D) {
  if (isStd(D))
    return true;
  const auto *ND = dyn_cast_or_null<NamedDecl>(D);
  return ND && StringRef(ND->getQualifiedNameAsString()).starts_with("__gnu_cxx::");
}

} // namespace

void Bits::forbid(Tie &Into, const llvm::Twine &Why, const Stmt *At) {
  Into.Refusals.push_back(S.remark(Why, At->getBeginLoc()));
}

// An expression that names a node, or a temporary: what it is part of.
void Bits::use(const Expr *E) {
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    if (const auto *F = dyn_cast<FunctionDecl>(Ref->getDecl())) {
      const Stmt *P = parentOf(E, C);
      while (P && isa<ParenExpr, ImplicitCastExpr>(P) &&
             !(isa<ImplicitCastExpr>(P) && cast<ImplicitCastExpr>(P)->getCastKind() != CK_FunctionToPointerDecay))
        P = parentOf(P, C);
      if (!isa_and_nonnull<CallExpr>(P))
        for (unsigned I = 0; I <= F->getNumParams(); I++)
          if (Node *N = I < F->getNumParams() ? node(F->getParamDecl(I)) : node(F, true)) {
            Tie T;
            T.Nodes.push_back(N);
            forbid(T, "the address of `" + F->getNameAsString() + "` is taken", E);
            settle(T);
          }
      return;
    }
  const bool Element = isBitProxy(E->getType()); // a loop variable of a range-for
  if (!packsBits(E->getType()) || Element)
    return;
  // The largest expression that still is of such a type.
  const Expr *Whole = E;
  for (;;) {
    const Stmt *P = parentOf(Whole, C);
    const auto *M = dyn_cast_or_null<MemberExpr>(P);
    if (M && !isa<FieldDecl>(M->getMemberDecl())) { // a method is called
      const Stmt *Call = parentOf(M, C);
      if (const auto *X = dyn_cast_or_null<CallExpr>(Call);
          X && packsBits(X->getType()) && !node(X->getDirectCallee(), true)) {
        Whole = X;
        continue;
      }
      break;
    }
    const auto *X = dyn_cast_or_null<Expr>(P);
    if (!X || !packsBits(X->getType()))
      break;
    // An argument of a function of the program goes to its parameter.
    if (const auto *Call = dyn_cast<CallExpr>(X);
        Call && !(Call->getDirectCallee() && ofLibrary(Call->getDirectCallee())))
      break;
    if (const auto *CC = dyn_cast<CXXConstructExpr>(X); CC && !ofLibrary(CC->getConstructor()))
      break;
    if (isa<LambdaExpr>(X))
      break;
    Whole = X;
  }
  if (!Done.insert(Whole).second)
    return;
  Tie T;
  roots(Whole, T);
  sink(Whole, T);
  settle(T);
}

// A call of a function of the program is a use of what it returns, and what it is
// given goes to its parameters.
void Bits::call(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E);
  const auto *CC = dyn_cast<CXXConstructExpr>(E);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : CC->getConstructor();
  if (!F || ofLibrary(F))
    return;
  if (packsBits(E->getType()) && node(F, true))
    use(E);
  const unsigned N = Call ? Call->getNumArgs() : CC->getNumArgs();
  const unsigned Object = Call && isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(F) ? 1 : 0;
  for (unsigned I = Object; I < N && I - Object < F->getNumParams(); I++)
    if (Node *P = node(F->getParamDecl(I - Object)))
      initialised(P, Call ? Call->getArg(I) : CC->getArg(I));
}

// The nodes of an expression: of its operands where it is made of several.
void Bits::roots(const Expr *E, Tie &Into) {
  if (!E || (!packsBits(E->getType()) && !isa<InitListExpr, CXXStdInitializerListExpr>(E->IgnoreParenImpCasts())))
    return;
  if (isWrapper(E))
    return roots(cast<Expr>(*E->children().begin()), Into);
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E)) {
    if (packsBits(Cast->getSubExpr()->getType()) || Cast->getCastKind() == CK_NullToPointer)
      return roots(Cast->getSubExpr(), Into);
    return forbid(Into, "`" + S.text(E) + "` is of a class that is derived from it", E);
  }
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    if (Node *N = node(D->getDecl()))
      return Into.Nodes.push_back(N);
    return forbid(Into, "`" + S.text(E) + "` is declared by a library", E);
  }
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    if (Node *N = node(M->getMemberDecl()))
      return Into.Nodes.push_back(N);
    if (ofLibrary(M->getMemberDecl())) // first, second
      return roots(M->getBase(), Into);
    return forbid(Into, "`" + S.text(E) + "` is declared by a library", E);
  }
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (F && node(F, true))
      return Into.Nodes.push_back(node(F, true));
    if (!F || !ofLibrary(F))
      return forbid(Into, "what `" + S.text(Call) + "` calls is not seen", E);
    return rootsOfArguments(Call, Into);
  }
  if (const auto *CC = dyn_cast<CXXConstructExpr>(E))
    return construction(CC, Into);
  if (const auto *Cond = dyn_cast<AbstractConditionalOperator>(E)) {
    roots(Cond->getTrueExpr(), Into);
    return roots(Cond->getFalseExpr(), Into);
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(E)) {
    if (BO->getOpcode() != BO_Comma)
      roots(BO->getLHS(), Into);
    return roots(BO->getRHS(), Into);
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return roots(U->getSubExpr(), Into);
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return roots(A->getBase(), Into);
  if (const auto *N = dyn_cast<CXXNewExpr>(E)) {
    spelled(N->getAllocatedTypeSourceInfo()->getTypeLoc(), Into, Top);
    if (N->getInitializer())
      roots(N->getInitializer(), Into);
    return;
  }
  if (const auto *IL = dyn_cast<InitListExpr>(E)) {
    for (const Expr *I : IL->inits())
      if (packsBits(I->getType()))
        roots(I, Into);
      else if (!isa<ImplicitValueInitExpr>(I))
        stored(I, Into);
    return;
  }
  if (const auto *SI = dyn_cast<CXXStdInitializerListExpr>(E))
    return roots(SI->getSubExpr(), Into);
  if (const auto *FC = dyn_cast<CXXFunctionalCastExpr>(E)) {
    spelled(FC->getTypeInfoAsWritten()->getTypeLoc(), Into, Top);
    return roots(FC->getSubExpr(), Into);
  }
  if (const auto *SV = dyn_cast<CXXScalarValueInitExpr>(E))
    return spelled(SV->getTypeSourceInfo()->getTypeLoc(), Into, Top);
  if (isa<CXXDefaultArgExpr, CXXDefaultInitExpr, ImplicitValueInitExpr, CXXNullPtrLiteralExpr, GNUNullExpr,
          CXXThisExpr>(E))
    return isa<CXXThisExpr>(E) ? forbid(Into, "a class is derived from it", E) : void();
  forbid(Into, "`" + S.text(E) + "` is used where its type matters", E);
}

void Bits::rootsOfArguments(const CallExpr *E, Tie &Into) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
  const StringRef Name = Method && Method->getIdentifier() ? Method->getName() : "";
  if (const Expr *Object = ast::objectOf(E); Object && Method && packsBits(Object->getType()))
    roots(Object, Into);
  const bool Operator = isa<CXXOperatorCallExpr>(E);
  for (unsigned I = Operator && Method ? 1 : 0; I < E->getNumArgs(); I++) {
    const Expr *A = E->getArg(I);
    if (packsBits(A->getType()))
      roots(A, Into);
  }
  if (llvm::StringSwitch<bool>(Name)
          .Cases("resize", "assign", "push_back", "emplace_back", "insert", true)
          .Default(false))
    for (const Expr *A : E->arguments())
      if (A->getType()->isBooleanType() || isBitProxy(A->getType()))
        stored(A, Into);
  if (Name == "flip" || Name == "emplace" || Name == "data")
    forbid(Into, "`" + Name + "` of the new type does something else, or nothing", E);
  if ((Name == "assign" || Name == "insert") && llvm::any_of(E->arguments(), [&](const Expr *A) {
        return A->getType()->isPointerType() ||
               (A->getType()->isRecordType() && !packsBits(A->getType()) && !isBitProxy(A->getType()));
      }))
    forbid(Into, "its elements come from something else", E);
}

void Bits::construction(const CXXConstructExpr *E, Tie &Into) {
  if (!ofLibrary(E->getConstructor()))
    return forbid(Into, "a class of the program is a template of it", E);
  if (const auto *T = dyn_cast<CXXTemporaryObjectExpr>(E))
    if (!T->getTypeSourceInfo()->getType()->getContainedAutoType())
      spelled(T->getTypeSourceInfo()->getTypeLoc(), Into, Top);
  for (const Expr *A : E->arguments()) {
    if (isa<CXXDefaultArgExpr>(A))
      continue;
    if (packsBits(A->getType()))
      roots(A, Into);
    else if (const auto *SI = dyn_cast<CXXStdInitializerListExpr>(A->IgnoreParenImpCasts()))
      roots(SI, Into);
    else if (A->getType()->isBooleanType() || isBitProxy(A->getType()))
      stored(A, Into);
    else if (!A->getType()->isIntegralOrEnumerationType() &&
             !(A->getType()->getAsCXXRecordDecl() && A->getType()->getAsCXXRecordDecl()->isInStdNamespace() &&
               A->getType()->getAsCXXRecordDecl()->getName() == "allocator"))
      return forbid(Into, "it is built from something else than a size and a value", E);
  }
}

// Where an expression goes that is part of no larger one of such a type.
void Bits::sink(const Expr *E, Tie &Into) {
  const Stmt *P = parentOf(E, C);
  if (!P) {
    DynTypedNodeList Up = C.getParents(*E);
    if (Up.empty())
      return;
    if (const auto *V = Up[0].get<VarDecl>()) {
      if (Node *N = node(V))
        return Into.Nodes.push_back(N);
      if (isBitProxy(V->getType()) || V->getType()->isBooleanType())
        return; // of a range-for: its element is looked at there
      return forbid(Into, "`" + V->getNameAsString() + "` is declared by a library", E);
    }
    if (const auto *F = Up[0].get<FieldDecl>())
      if (Node *N = node(F))
        return Into.Nodes.push_back(N);
    if (const auto *I = Up[0].get<CXXCtorInitializer>()) {
      if (Node *N = I->isMemberInitializer() ? node(I->getMember()) : nullptr)
        return Into.Nodes.push_back(N);
      return forbid(Into, "a base class is made of it", E);
    }
    return;
  }
  if (const auto *M = dyn_cast<MemberExpr>(P)) {
    const auto *Call = dyn_cast_or_null<CallExpr>(parentOf(M, C));
    if (!Call || !ofLibrary(M->getMemberDecl()))
      return forbid(Into, "a member of it is used without a call", E);
    if (isBitProxy(Call->getType()) || (Call->getType()->isBooleanType() && !M->getMemberDecl()->getIdentifier()))
      return element(Call, Into);
    const StringRef Name = M->getMemberDecl()->getIdentifier() ? M->getMemberDecl()->getName() : "";
    if (llvm::StringSwitch<bool>(Name).Cases("at", "front", "back", true).Default(false))
      return element(Call, Into);
    if (Name == "emplace_back" && !isDiscarded(Call, C))
      return forbid(Into, "the result of emplace_back is used", E);
    return rootsOfArguments(Call, Into);
  }
  if (const auto *Call = dyn_cast<CallExpr>(P)) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (F && ofLibrary(F)) {
      if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(Call);
          Op && (isBitProxy(Op->getType()) || (Op->getType()->isBooleanType() &&
                                               (Op->getOperator() == OO_Subscript || Op->getOperator() == OO_Star))))
        return element(Op, Into);
      return rootsOfArguments(Call, Into);
    }
    if (!F)
      return forbid(Into, "it is passed to a function that is not known", E);
    const bool Method = isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(F);
    for (unsigned I = 0; I < Call->getNumArgs(); I++)
      if (Call->getArg(I) == E) {
        if (Method && I == 0)
          return forbid(Into, "it is used by an operator of the program", E);
        return argument(E, F, Method ? I - 1 : I, Into);
      }
    return forbid(Into, "`" + S.text(E) + "` is used where its type matters", E);
  }
  if (const auto *CC = dyn_cast<CXXConstructExpr>(P)) {
    for (unsigned I = 0; I < CC->getNumArgs(); I++)
      if (CC->getArg(I) == E)
        return argument(E, CC->getConstructor(), I, Into);
  }
  if (isa<ReturnStmt>(P)) {
    const FunctionDecl *F = functionAround(P, C);
    if (Node *N = F ? node(F, true) : nullptr)
      return Into.Nodes.push_back(N);
    return forbid(Into, "a lambda returns it", E);
  }
  if (const auto *IL = dyn_cast<InitListExpr>(P)) {
    if (const RecordDecl *R = IL->getType()->getAsRecordDecl()) {
      unsigned I = 0;
      for (const FieldDecl *F : R->fields())
        if (I < IL->getNumInits() && IL->getInit(I++) == E)
          if (Node *N = node(F))
            return Into.Nodes.push_back(N);
    }
    return forbid(Into, "`" + S.text(E) + "` initialises something that would have to change as well", E);
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(P)) { // pointers
    roots(BO->getLHS(), Into);
    return roots(BO->getRHS(), Into);
  }
  if (const auto *Cast = dyn_cast<CastExpr>(P);
      Cast && (Cast->getType()->isBooleanType() || Cast->getType()->isVoidType()))
    return;
  if (const auto *X = dyn_cast<Expr>(P)) {
    if (isa<CXXDeleteExpr, LambdaExpr>(X) || isWrapper(X))
      return;
    if (const auto *U = dyn_cast<UnaryOperator>(X); U && U->getOpcode() == UO_LNot)
      return;
    return forbid(Into, "`" + S.text(E) + "` is used where its type matters", E);
  }
  // A statement of its own, or the compiler's of a range-for.
}

void Bits::argument(const Expr *E, const FunctionDecl *F, unsigned Index, Tie &Into) {
  const std::string Name = "`" + F->getQualifiedNameAsString() + "`";
  if (Index >= F->getNumParams())
    return forbid(Into, "it is passed to " + Name + " in place of an ellipsis", E);
  if (!S.isEditable(F->getLocation()))
    return forbid(Into, "it is passed to " + Name + " of a library", E);
  if (Node *N = node(F->getParamDecl(Index)))
    return Into.Nodes.push_back(N);
  forbid(Into, "it is passed to " + Name + ", which takes it as something else", E);
}

} // namespace whyhot::fix
