#include "ast/consumer.h"

#include "ast/functions.h"
#include "ast/report.h"
#include "ast/user_rules/user_rules.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &CI, const Options &O, Result &Out, Look Also)
      : CI(CI), O(O), Out(Out), Also(std::move(Also)) {}

  void HandleTranslationUnit(ASTContext &C) override {
    if (C.getDiagnostics().hasUncompilableErrorOccurred())
      return;
    Context = &C;
    Callees Known(C);
    Report Found(C, CI.getPreprocessor(), O);
    K = &Known;
    R = &Found;
    for (Decl *D : C.getTranslationUnitDecl()->decls())
      if (!C.getSourceManager().isInSystemHeader(C.getSourceManager().getExpansionLoc(D->getLocation()))) {
        Own.push_back(D);
        declaration(D);
      }
    for (const Rule &Each : Registered<Rule>::all())
      if (Each.Unit)
        Each.Unit(C, Found);
    Found.addSites(Calls);
    Out = Found.take();
    Out.Functions = functionsOf(C, Own);
    Out.Hoists = std::move(Hoists);
    runUserRules(C, O.UserRules, Own, CI.getPreprocessor(), O, Out);
  }

private:
  void declaration(const Decl *D) {
    if (const auto *FT = dyn_cast<FunctionTemplateDecl>(D)) {
      if (FT->isThisDeclarationADefinition() || FT->getTemplatedDecl()->isThisDeclarationADefinition())
        for (const FunctionDecl *F : FT->specializations())
          if (F->getTemplateSpecializationKind() != TSK_ExplicitSpecialization)
            function(F);
    } else if (const auto *CT = dyn_cast<ClassTemplateDecl>(D)) {
      if (CT->isCanonicalDecl())
        for (const ClassTemplateSpecializationDecl *S : CT->specializations())
          if (!S->isExplicitSpecialization())
            members(S);
    } else if (const auto *VT = dyn_cast<VarDecl>(D)) {
      if (VT->getInit())
        statement(VT->getInit(), nullptr);
    } else if (const auto *F = dyn_cast<FunctionDecl>(D)) {
      function(F);
    } else if (const auto *DC = dyn_cast<DeclContext>(D)) {
      members(DC);
    }
  }

  void members(const DeclContext *DC) {
    for (const Decl *D : DC->decls())
      declaration(D);
  }

  void function(const FunctionDecl *F) {
    const FunctionDecl *Definition = nullptr;
    if (!F->hasBody(Definition) || Definition->isDependentContext() || Definition->isDefaulted() ||
        Definition->isInvalidDecl() || !Visited.insert(Definition).second)
      return;
    LoopNest Nest(Definition->getBody());
    R->Calls.see(Definition, Nest);
    FunctionFacts Facts{Definition, *Context, *K, Nest};
    for (const Rule &Each : Registered<Rule>::all())
      if (Each.Function)
        Each.Function(Facts, *R);
    if (Also)
      Also(Facts, Hoists);
    statement(Definition->getBody(), Definition);
  }

  // Notes calls, and finds the functions and classes that stand inside bodies.
  void statement(const Stmt *S, const FunctionDecl *In) {
    if (!S)
      return;
    if (const auto *L = dyn_cast<LambdaExpr>(S)) {
      if (const FunctionTemplateDecl *T = L->getDependentCallOperator())
        for (const FunctionDecl *F : T->specializations())
          function(F);
      else
        function(L->getCallOperator());
      return;
    }
    if (const auto *DS = dyn_cast<DeclStmt>(S))
      for (const Decl *D : DS->decls())
        if (isa<RecordDecl>(D))
          declaration(D);
    if (In)
      R->Threads.see(S, In);
    if (const auto *Call = dyn_cast<CallExpr>(S); Call && In)
      if (const FunctionDecl *F = Call->getDirectCallee(); F && isInlinable(F))
        Calls[F->getCanonicalDecl()].push_back({Call, In});
    for (const Stmt *Child : S->children())
      statement(Child, In);
  }

  CompilerInstance &CI;
  const Options &O;
  Result &Out;
  const Look Also;
  std::vector<Hoist> Hoists;
  ASTContext *Context = nullptr;
  Callees *K = nullptr;
  Report *R = nullptr;
  std::vector<Decl *> Own;
  llvm::DenseSet<const FunctionDecl *> Visited;
  CallMap Calls;
};

} // namespace

std::unique_ptr<ASTConsumer> makeConsumer(CompilerInstance &CI, const Options &O, Result &Out, Look Also) {
  return std::make_unique<Consumer>(CI, O, Out, std::move(Also));
}

} // namespace whyhot::ast
