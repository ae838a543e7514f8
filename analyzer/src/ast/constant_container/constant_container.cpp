// constant-container: local containers, tables of strings and regular expressions with
// the same contents in every call, built and destroyed each time.
#include "ast/report.h"

#include "ast/facts/containers.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::ast {
namespace {

constexpr unsigned FewestElements = 2;

const CXXRecordDecl *inStd(QualType T) {
  const auto *RD = T->getAsCXXRecordDecl();
  return RD && RD->getIdentifier() && RD->isInStdNamespace() ? RD : nullptr;
}

bool isRegex(QualType T) {
  const CXXRecordDecl *RD = inStd(T);
  return RD && RD->getName() == "basic_regex";
}

// Is the value the same whenever it is computed? What is not understood is not.
class Constant {
public:
  explicit Constant(const ASTContext &C) : C(C) {}

  bool is(const Expr *E) const {
    if (!E || E->isValueDependent() || E->isTypeDependent())
      return false;
    E = E->IgnoreImplicit()->IgnoreParens();
    if (isa<CXXDefaultArgExpr, CXXNullPtrLiteralExpr, StringLiteral, ImplicitValueInitExpr>(E))
      return true;
    if (const auto *L = dyn_cast<LambdaExpr>(E))
      return L->capture_size() == 0;
    if (const auto *SL = dyn_cast<CXXStdInitializerListExpr>(E))
      return is(SL->getSubExpr());
    if (const auto *IL = dyn_cast<InitListExpr>(E))
      return llvm::all_of(IL->inits(), [this](const Expr *I) { return is(I); });
    if (const auto *DRE = dyn_cast<DeclRefExpr>(E))
      return reference(DRE);
    if (const auto *CC = dyn_cast<CXXConstructExpr>(E))
      return constructs(CC->getConstructor()) && llvm::all_of(CC->arguments(), [this](const Expr *A) { return is(A); });
    if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
      return is(Cast->getSubExpr());
    if (const auto *Call = dyn_cast<CallExpr>(E))
      return calls(Call) && llvm::all_of(Call->arguments(), [this](const Expr *A) { return is(A); });
    Expr::EvalResult Known;
    return !E->getType()->isRecordType() && E->EvaluateAsRValue(Known, C) && !Known.HasSideEffects;
  }

private:
  bool reference(const DeclRefExpr *DRE) const {
    if (isa<FunctionDecl, EnumConstantDecl>(DRE->getDecl()))
      return true;
    const auto *V = dyn_cast<VarDecl>(DRE->getDecl());
    if (!V || V->getType()->isReferenceType() || V->getType().isVolatileQualified())
      return false;
    if (V->isConstexpr() || (V->hasGlobalStorage() && V->getType().isConstQualified() && !V->isStaticLocal()))
      return true;
    Expr::EvalResult Known;
    return V->getType().isConstQualified() && DRE->EvaluateAsRValue(Known, C) && !Known.HasSideEffects;
  }

  // A constructor that does nothing but take its arguments.
  bool constructs(const CXXConstructorDecl *D) const {
    return D->getParent()->isInStdNamespace() || D->isConstexpr() || D->isDefaulted() || D->isTrivial();
  }

  static bool calls(const CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !F->isInStdNamespace())
      return false;
    if (isa<UserDefinedLiteral>(Call))
      return true;
    return F->getIdentifier() &&
           llvm::StringSwitch<bool>(F->getName()).Cases("make_pair", "make_tuple", true).Default(false);
  }

  const ASTContext &C;
};

// The list of elements that a container or an array is made of.
const InitListExpr *elementsOf(const Stmt *S) {
  if (!S || isa<LambdaExpr>(S))
    return nullptr;
  if (const auto *IL = dyn_cast<InitListExpr>(S))
    return IL;
  for (const Stmt *Child : S->children())
    if (const InitListExpr *IL = elementsOf(Child))
      return IL;
  return nullptr;
}

class Finder {
public:
  Finder(const FunctionFacts &F, Report &R) : F(F), R(R) {}

  void visit(const Stmt *S, const CompoundStmt *Scope) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const auto *DS = dyn_cast<DeclStmt>(S))
      for (const Decl *D : DS->decls())
        if (const auto *V = dyn_cast<VarDecl>(D))
          declaration(DS, V, Scope);
    if (const auto *CS = dyn_cast<CompoundStmt>(S))
      Scope = CS;
    for (const Stmt *Child : S->children())
      visit(Child, Scope);
  }

private:
  void declaration(const DeclStmt *DS, const VarDecl *V, const CompoundStmt *Scope) {
    if (!V->hasLocalStorage() || isa<ParmVarDecl>(V) || V->isConstexpr() || V->isImplicit() || !V->getInit() ||
        V->getType()->isReferenceType())
      return;
    std::string What = kind(V);
    if (What.empty() || !Constant(F.Context).is(V->getInit()) || !isOnlyRead(V, F.Function->getBody()))
      return;
    const Loop *L = F.Loops.of(DS).In;
    Match M = R.in("constant-container", F.Function, nullptr, DS);
    M.InLoop = L != nullptr;
    M.Depth = L ? L->Depth : 0;
    M.First = R.span(DS);
    M.Location = V->getNameAsString() + ", a " + What;
    if (Scope)
      M.Ends = R.span(SourceRange(Scope->getRBracLoc()), false);
    R.add(std::move(M), F.Function);
  }

  // What it is, as people call it; empty for what is no matter.
  std::string kind(const VarDecl *V) const {
    const QualType T = V->getType();
    if (isRegex(T))
      return isa<CXXConstructExpr>(V->getInit()->IgnoreImplicit()) && hasText(V->getInit()) ? "std::regex" : "";
    const InitListExpr *Elements = elementsOf(V->getInit());
    if (!Elements || Elements->getNumInits() < FewestElements)
      return "";
    if (std::string Container = containerName(T); !Container.empty())
      return Container + " of " + std::to_string(Elements->getNumInits()) + " constant elements";
    if (const auto *Array = F.Context.getAsConstantArrayType(T))
      if (const CXXRecordDecl *RD = inStd(Array->getElementType()); RD && RD->getName() == "basic_string")
        return "table of " + std::to_string(Elements->getNumInits()) + " constant strings";
    return "";
  }

  static bool hasText(const Stmt *S) {
    if (isa<StringLiteral>(S))
      return true;
    return llvm::any_of(S->children(), [](const Stmt *Child) { return Child && hasText(Child); });
  }

  const FunctionFacts &F;
  Report &R;
};

void inFunction(const FunctionFacts &F, Report &R) {
  if (R.wants("constant-container") && !F.Function->isConsteval())
    Finder(F, R).visit(F.Function->getBody(), nullptr);
}

// Once all calls are known: is it built over and over?
void inUnit(ASTContext &, Report &R) {
  R.eachOf("constant-container", [&R](Match &M, const FunctionDecl *F) {
    if (!M.InLoop && R.Calls.isInLoop(F)) {
      M.InLoop = true;
      M.Notes.push_back("the function is called in a loop");
    }
  });
}

const Registered<Rule> ConstantContainerRule("constant-container", {inFunction, inUnit});

} // namespace

} // namespace whyhot::ast
