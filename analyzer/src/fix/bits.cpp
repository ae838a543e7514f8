// The nodes: declarations whose types pack bits, how they are spelled and what
// initialises them.
#include "fix/bits.h"

#include "ast/walk.h"
#include "fix/library.h"
#include "fix/uses.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {
namespace {

constexpr unsigned MaxNesting = 8;

bool isPackedVector(const ClassTemplateSpecializationDecl *R) {
  return R->isInStdNamespace() && R->getName() == "vector" && R->getTemplateArgs().size() > 0 &&
         R->getTemplateArgs()[0].getKind() == TemplateArgument::Type &&
         R->getTemplateArgs()[0].getAsType()->isBooleanType();
}

bool packs(QualType T, unsigned Nesting);

bool packs(const TemplateArgument &A, unsigned Nesting) {
  if (A.getKind() == TemplateArgument::Type)
    return packs(A.getAsType(), Nesting + 1);
  return A.getKind() == TemplateArgument::Pack &&
         llvm::any_of(A.pack_elements(), [&](const TemplateArgument &X) { return packs(X, Nesting); });
}

bool packs(QualType T, unsigned Nesting) {
  if (T.isNull() || Nesting > MaxNesting)
    return false;
  T = T.getCanonicalType().getNonReferenceType();
  while (!T.isNull() && (T->isPointerType() || T->isArrayType()))
    T = T->isPointerType() ? T->getPointeeType() : QualType(T->getArrayElementTypeNoTypeQual(), 0);
  const CXXRecordDecl *R = T.isNull() ? nullptr : T->getAsCXXRecordDecl();
  if (!R)
    return false;
  if (R->getIdentifier() && R->isInStdNamespace() &&
      llvm::StringSwitch<bool>(R->getName())
          .Cases("_Bit_iterator", "_Bit_const_iterator", "_Bit_iterator_base", "__bit_iterator", true)
          .Default(false))
    return true;
  const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R);
  if (!S)
    return false;
  return isPackedVector(S) ||
         llvm::any_of(S->getTemplateArgs().asArray(), [&](const TemplateArgument &A) { return packs(A, Nesting); });
}

// Where types are spelled as std::vector<bool>, and which typedefs spell them.
class Spellings final : public ast::Walk {
public:
  std::vector<TypeLoc> Elements;
  std::vector<const TypedefNameDecl *> Aliases;
  bool Hidden = false; // the element type has another name

private:
  void type(TypeLoc At) override {
    if (const auto T = At.getAs<TypedefTypeLoc>(); T && packsBits(T.getTypedefNameDecl()->getUnderlyingType()))
      Aliases.push_back(T.getTypedefNameDecl());
    const auto T = At.getAs<TemplateSpecializationTypeLoc>();
    if (!T)
      return;
    const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T.getType()->getAsCXXRecordDecl());
    if (S && isPackedVector(S) && T.getNumArgs() > 0 && T.getArgLoc(0).getTypeSourceInfo()) {
      TypeLoc Element = T.getArgLoc(0).getTypeSourceInfo()->getTypeLoc();
      if (Element.getUnqualifiedLoc().getAs<BuiltinTypeLoc>())
        Elements.push_back(Element);
      else
        Hidden = true;
    }
  }
};

} // namespace

bool packsBits(QualType T) { return packs(T, 0); }

bool isBitProxy(QualType T) {
  const CXXRecordDecl *R = T.isNull() ? nullptr : T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getIdentifier() && R->isInStdNamespace() &&
         (R->getName() == "_Bit_reference" || R->getName() == "__bit_reference" ||
          R->getName() == "__bit_const_reference");
}

// Finds the nodes and their uses, templates as they are instantiated.
class BitsVisitor final : public ast::Walk {
public:
  BitsVisitor(Bits &B, bool Uses) : Walk({.Instantiations = true, .Implicit = true}), B(B), Uses(Uses) {}

  void traverse(Decl *D) override { // what is in a system header is the library's own
    if (D && !isa<TranslationUnitDecl>(D) && D->getLocation().isValid() && !B.S.isEditable(D->getLocation()) &&
        !isa<NamespaceDecl, LinkageSpecDecl>(D))
      return;
    if (D && D->getLexicalDeclContext() && D->getLexicalDeclContext()->isTranslationUnit())
      B.Top = D;
    Walk::traverse(D);
  }

private:
  void decl(Decl *D) override {
    if (auto *V = dyn_cast<DeclaratorDecl>(D))
      declarator(V);
    if (auto *F = dyn_cast<FunctionDecl>(D);
        F && !Uses && packsBits(F->getReturnType()) && !F->isDependentContext() && !F->isImplicit())
      B.declareReturn(F);
    if (auto *T = dyn_cast<TypedefNameDecl>(D);
        T && !Uses && packsBits(T->getUnderlyingType()) && !T->getDeclContext()->isDependentContext())
      B.declareTypedef(T);
    if (auto *X = dyn_cast<CXXConstructorDecl>(D); X && Uses && !X->isImplicit() && !X->isDependentContext())
      for (const CXXCtorInitializer *I : X->inits())
        if (I->isMemberInitializer() && I->isWritten() && packsBits(I->getMember()->getType()))
          B.initialised(B.node(I->getMember()), I->getInit());
  }
  void declarator(DeclaratorDecl *D) {
    if (!isa<VarDecl, FieldDecl>(D) || !packsBits(D->getType()) || D->getDeclContext()->isDependentContext())
      return;
    if (!Uses)
      B.declare(D);
    else if (const auto *P = dyn_cast<ParmVarDecl>(D);
             P && (!P->hasDefaultArg() || P->hasUninstantiatedDefaultArg() || P->hasUnparsedDefaultArg()))
      return;
    else if (const auto *V = dyn_cast<VarDecl>(D); V && V->getInit() && !V->isCXXForRangeDecl())
      B.initialised(B.node(V), V->getInit());
    else if (const auto *F = dyn_cast<FieldDecl>(D); F && F->hasInClassInitializer() && F->getInClassInitializer())
      B.initialised(B.node(F), F->getInClassInitializer());
  }
  void stmt(Stmt *St) override {
    auto *E = dyn_cast<Expr>(St);
    if (!E || !Uses || E->isTypeDependent() || E->isValueDependent())
      return;
    if (isa<CallExpr, CXXConstructExpr>(E))
      B.call(E);
    if (isa<DeclRefExpr, MemberExpr>(E) || (isa<CXXConstructExpr>(E) && packsBits(E->getType())))
      B.use(E);
  }

  Bits &B;
  const bool Uses;
};

Bits::Bits(const Source &S, std::string New, bool Converts)
    : S(S), C(S.C), New(std::move(New)), Converts(Converts), Names(S.C) {
  BitsVisitor(*this, false).traverse(C.getTranslationUnitDecl());
  BitsVisitor(*this, true).traverse(C.getTranslationUnitDecl());
}

std::vector<Slot> Bits::slots() {
  std::vector<Slot> Out;
  for (auto &[Of, N] : Nodes)
    Out.push_back(N->Out);
  return Out;
}

bool Bits::isTemplated(const Decl *D) const {
  for (const DeclContext *X = D->getDeclContext(); X; X = X->getParent()) {
    if (const auto *R = dyn_cast<CXXRecordDecl>(X); R && R->getTemplateInstantiationPattern())
      return true;
    if (const auto *F = dyn_cast<FunctionDecl>(X); F && F->getTemplateInstantiationPattern())
      return true;
  }
  return false;
}

// A name that every unit has for the same declaration.
std::string Bits::identity(const Decl *D, bool Returned, bool &Shared) {
  Shared = true;
  const auto *ND = cast<NamedDecl>(D);
  if (const auto *P = dyn_cast<ParmVarDecl>(D))
    if (const auto *F = dyn_cast_or_null<FunctionDecl>(P->getDeclContext()); F && F->isExternallyVisible())
      return Names.getName(F) + "#" + std::to_string(P->getFunctionScopeIndex());
  if (const auto *F = dyn_cast<FunctionDecl>(D); F && F->isExternallyVisible())
    return Names.getName(F) + (Returned ? "#return" : "");
  if (const auto *V = dyn_cast<VarDecl>(D); V && !isa<ParmVarDecl>(D) && V->isExternallyVisible())
    return "variable " + Names.getName(V);
  const bool InMain = S.SM.isWrittenInMainFile(S.SM.getExpansionLoc(D->getLocation()));
  if (isa<FieldDecl, TypedefNameDecl>(D) && !D->getParentFunctionOrMethod() && !InMain)
    return ND->getQualifiedNameAsString() + (isa<FieldDecl>(D) ? "" : " (type)");
  Shared = !InMain && !D->getParentFunctionOrMethod();
  // By its place: units that include a header have it at the same one.
  const Edit At = S.insert(S.SM.getExpansionLoc(D->getLocation()), "");
  return ND->getNameAsString() + " at " + At.File + ":" + std::to_string(At.Offset) + (Returned ? "#return" : "");
}

Bits::Node *Bits::node(const Decl *D, bool Returned) {
  if (!D)
    return nullptr;
  D = D->getCanonicalDecl();
  if (const auto *P = dyn_cast<ParmVarDecl>(D)) // the same parameter in every declaration of the function
    if (const auto *F = dyn_cast_or_null<FunctionDecl>(P->getDeclContext()))
      D = F->getCanonicalDecl()->getParamDecl(P->getFunctionScopeIndex());
  auto It = Nodes.find({D, Returned});
  return It == Nodes.end() ? nullptr : It->second.get();
}

void Bits::place(Node &N, const Decl *D) {
  N.At = D->getLocation();
  const Remark R = S.remark("", N.At);
  N.Out.File = R.File, N.Out.Line = R.Line, N.Out.Column = R.Column;
}

void Bits::declare(const DeclaratorDecl *D) {
  const Decl *Key = D->getCanonicalDecl();
  if (const auto *P = dyn_cast<ParmVarDecl>(D)) {
    const auto *F = dyn_cast_or_null<FunctionDecl>(P->getDeclContext());
    if (!F || P->getFunctionScopeIndex() >= F->getNumParams()) // of a function type
      return;
    Key = F->getCanonicalDecl()->getParamDecl(P->getFunctionScopeIndex());
  }
  auto &N = Nodes[{Key, false}];
  if (!N) {
    N = std::make_unique<Node>();
    N->Out.Id = identity(D, false, N->Out.Shared);
    N->Out.Name = D->getDeclContext()->isFunctionOrMethod() ? D->getNameAsString() : D->getQualifiedNameAsString();
    if (const auto *P = dyn_cast<ParmVarDecl>(D))
      N->Out.Name =
          cast<FunctionDecl>(P->getDeclContext())->getQualifiedNameAsString() + "(" + D->getNameAsString() + ")";
    place(*N, D);
  }
  Tie T;
  T.Nodes.push_back(N.get());
  if (const auto *P = dyn_cast<ParmVarDecl>(D)) {
    const auto *F = cast<FunctionDecl>(P->getDeclContext());
    N->Out.Function = true;
    N->Out.Body |= F->hasBody() || F->isDefaulted() || F->isDeleted();
    if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isVirtual())
      T.Refusals.push_back(S.remark("`" + N->Out.Name + "` is a virtual function", D->getLocation()));
  }
  if (const auto *V = dyn_cast<VarDecl>(D); V && V->isImplicit())
    return settle(T);
  if (TypeSourceInfo *TSI = D->getTypeSourceInfo(); TSI && !TSI->getType()->getContainedAutoType())
    spelled(TSI->getTypeLoc(), T, D);
  settle(T);
}

void Bits::declareReturn(const FunctionDecl *F) {
  auto &N = Nodes[{F->getCanonicalDecl(), true}];
  if (!N) {
    N = std::make_unique<Node>();
    N->Out.Id = identity(F, true, N->Out.Shared);
    N->Out.Name = F->getQualifiedNameAsString() + "()";
    N->Out.Function = true;
    place(*N, F);
  }
  N->Out.Body |= F->hasBody();
  Tie T;
  T.Nodes.push_back(N.get());
  if (const auto *M = dyn_cast<CXXMethodDecl>(F)) {
    if (M->isVirtual())
      T.Refusals.push_back(S.remark("`" + N->Out.Name + "` is a virtual function", F->getLocation()));
    if (M->getParent()->isLambda())
      T.Refusals.push_back(S.remark("a lambda returns it", F->getLocation()));
  }
  if (TypeSourceInfo *TSI = F->getTypeSourceInfo())
    if (auto Function = TSI->getTypeLoc().getAsAdjusted<FunctionTypeLoc>();
        Function && !F->getReturnType()->getContainedAutoType())
      spelled(Function.getReturnLoc(), T, F);
  settle(T);
}

void Bits::declareTypedef(const TypedefNameDecl *D) {
  auto &N = Nodes[{D->getCanonicalDecl(), false}];
  if (!N) {
    N = std::make_unique<Node>();
    N->Out.Id = identity(D, false, N->Out.Shared);
    N->Out.Name = D->getQualifiedNameAsString();
    place(*N, D);
  }
  Tie T;
  T.Nodes.push_back(N.get());
  spelled(D->getTypeSourceInfo()->getTypeLoc(), T, D);
  settle(T);
}

// The edits of a type as it is written, the typedefs in it tied to it.
void Bits::spelled(TypeLoc L, Tie &Into, const Decl *D) {
  Spellings Find;
  Find.traverse(L);
  const bool Templated = isTemplated(D);
  for (const TypedefNameDecl *A : Find.Aliases) {
    if (Node *N = node(A)) {
      Into.Nodes.push_back(N);
    } else if (S.isEditable(A->getLocation())) {
      declareTypedef(A);
      Into.Nodes.push_back(node(A));
    }
  }
  const Decl *Outermost = D;
  while (const auto *X = dyn_cast_or_null<Decl>(Outermost->getLexicalDeclContext())) {
    if (isa<TranslationUnitDecl>(X))
      break;
    Outermost = X;
  }
  for (TypeLoc E : Find.Elements)
    edit(E, Outermost, Into);
  if (Find.Hidden)
    Into.Refusals.push_back(S.remark("the element type has a name of its own", D->getLocation()));
  if (Find.Elements.empty() && Find.Aliases.empty())
    Into.Refusals.push_back(S.remark(Templated ? "it is what a template makes of its argument"
                                               : "the type is not spelled as std::vector<bool> at its declaration",
                                     D->getLocation()));
  else if (Templated && !Find.Elements.empty())
    Into.Refusals.push_back(S.remark("it is declared in a template", D->getLocation()));
}

// Spells an element type anew. The new type may have to be defined, before the
// declaration of the unit around it.
void Bits::edit(TypeLoc Element, const Decl *Around, Tie &Into) {
  auto Where = S.range(Element.getSourceRange());
  if (!Where) {
    Into.Refusals.push_back(S.remark("a macro spells the type", Element.getBeginLoc()));
    return;
  }
  Into.Edits.push_back(S.replace(*Where, New));
  SourceLocation Begin = S.SM.getExpansionLoc(Around->getBeginLoc());
  if (const auto *T = dyn_cast<TemplateDecl>(Around))
    Begin = S.SM.getExpansionLoc(T->getTemplateParameters()->getTemplateLoc());
  if (const RawComment *Doc = C.getRawCommentForDeclNoCache(Around))
    Begin = Doc->getBeginLoc();
  const Edit At = S.insert(Begin, "");
  Into.Definitions.push_back({At.File, At.Offset});
}

void Bits::initialised(Node *N, const Expr *Init) {
  if (!N)
    return;
  Tie T;
  T.Nodes.push_back(N);
  roots(Init, T);
  settle(T);
}

void Bits::settle(const Tie &T) {
  if (T.Nodes.empty())
    return;
  auto add = [](auto &To, const auto &X) {
    if (!llvm::is_contained(To, X))
      To.push_back(X);
  };
  Slot &First = T.Nodes.front()->Out;
  for (const Node *N : T.Nodes)
    if (N->Out.Id != First.Id)
      add(First.Ties, N->Out.Id);
  for (const Edit &E : T.Edits)
    add(First.Edits, E);
  for (const Remark &R : T.Refusals)
    add(First.Refusals, R);
  for (const Definition &D : T.Definitions)
    add(First.Definitions, D);
}

std::vector<std::string> Bits::of(const Expr *E) {
  Tie T;
  roots(E, T);
  std::vector<std::string> Out;
  for (const Node *N : T.Nodes)
    Out.push_back(N->Out.Id);
  return Out;
}

std::vector<std::string> Bits::of(const Decl *D) {
  const Node *N = node(D);
  return N ? std::vector<std::string>{N->Out.Id} : std::vector<std::string>{};
}

} // namespace whyhot::fix
