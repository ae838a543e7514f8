#include "fix/kinds.h"

#include "ast/walk.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {
namespace {

using Kind = void (*)(const ast::FunctionFacts &, const Context &, Answer &);

Kind kindOf(StringRef Name) {
  return llvm::StringSwitch<Kind>(Name)
      .Case("hoist", hoist)
      .Case("wide-store", wideStore)
      .Case("retype", retype)
      .Case("bit-field", bitField)
      .Case("whole-copy", wholeCopy)
      .Default(nullptr);
}

// Function bodies around the line, instantiations instead of their patterns.
class Bodies final : public ast::Walk {
public:
  Bodies(const Source &S, const Request &R) : Walk({.Instantiations = true}), S(S), R(R) {}

  std::vector<const FunctionDecl *> Found;

private:
  void decl(Decl *D) override {
    const auto *F = dyn_cast<FunctionDecl>(D);
    if (F && F->doesThisDeclarationHaveABody() && !F->isDependentContext() && !F->isDefaulted() && !F->isInvalidDecl())
      add(F, F->getBeginLoc());
  }

  // The class of a lambda is implicit, and so not visited.
  void stmt(Stmt *St) override {
    const auto *L = dyn_cast<LambdaExpr>(St);
    if (!L)
      return;
    if (const FunctionTemplateDecl *T = L->getDependentCallOperator()) {
      for (const FunctionDecl *F : T->specializations())
        add(F, L->getBeginLoc());
    } else if (!L->getCallOperator()->isDependentContext()) {
      add(L->getCallOperator(), L->getBeginLoc());
    }
  }

  void add(const FunctionDecl *F, SourceLocation Begin) {
    const Stmt *Body = F->getBody();
    if (Body && S.isAt(F->getLocation(), R) && S.line(Begin) <= R.Line && S.endLine(Body) >= R.Line)
      Found.push_back(F);
  }

  const Source &S;
  const Request &R;
};

template <typename T> void unite(std::vector<T> &Into, const std::vector<T> &From) {
  for (const T &X : From)
    if (!llvm::is_contained(Into, X))
      Into.push_back(X);
}

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &CI, const Request &R, bool Strict, Answer &Out) : CI(CI), R(R), Strict(Strict), Out(Out) {}

  void HandleTranslationUnit(ASTContext &C) override {
    if (C.getDiagnostics().hasUncompilableErrorOccurred())
      return;
    Source S(C, CI.getPreprocessor());
    Bodies Around(S, R);
    Around.traverse(C.getTranslationUnitDecl());
    ast::Callees Known(C);
    const Context Here{S, R, Known, Strict};
    if (R.Kind == "vector-bool")
      return vectorBool(Around.Found, C, Here, Out);
    std::vector<std::pair<const FunctionDecl *, std::unique_ptr<ast::LoopNest>>> Bodies;
    for (const FunctionDecl *F : Around.Found)
      Bodies.emplace_back(F, std::make_unique<ast::LoopNest>(F->getBody()));
    auto near = [&](const auto &B) { return nearness(B.first, *B.second, Here); };
    std::optional<Nearness> Nearest;
    for (const auto &B : Bodies)
      Nearest = std::max(Nearest.value_or(near(B)), near(B));
    for (const auto &[F, NestOf] : Bodies) {
      const ast::LoopNest &Nest = *NestOf;
      if (nearness(F, Nest, Here) != *Nearest) // the function around a lambda or a local class
        continue;
      Answer One;
      kindOf(R.Kind)({F, C, Known, Nest}, Here, One);
      if (One.Found)
        merge(One, S, F);
    }
    if (!Out.Found && R.Kind == "bit-field")
      bitFieldAt(C, Here, Out);
    if (!Out.Refusals.empty())
      Out.Edits.clear();
  }

private:
  // A function by the loop in it that is meant: one that begins on the line before one
  // around the line, then the inner one. The instantiations of a template are all as
  // near.
  using Nearness = std::tuple<bool, unsigned, unsigned>;
  static Nearness nearness(const FunctionDecl *F, const ast::LoopNest &Nest, const Context &C) {
    const ast::Loop *L = loopAt(Nest, C);
    const SourceManager &SM = C.S.SM;
    const unsigned Begin = SM.getFileOffset(SM.getExpansionLoc(F->getBody()->getBeginLoc()));
    if (!L)
      return {false, 0, Begin};
    const SourceLocation At = L->Statement->getBeginLoc();
    return {C.S.line(At) == C.Asked.Line, SM.getFileOffset(SM.getExpansionLoc(At)), Begin};
  }

  // One source text may stand for many functions: the edit must be right in all.
  void merge(const Answer &One, const Source &S, const FunctionDecl *F) {
    if (!Out.Found) {
      Out = One;
      return;
    }
    unite(Out.Refusals, One.Refusals);
    unite(Out.Assumptions, One.Assumptions);
    unite(Out.Notes, One.Notes);
    if (Out.Refusals.empty() && Out.Edits != One.Edits)
      Out.Refusals.push_back(
          S.remark("the instantiations of this template would need different edits", F->getLocation()));
  }

  CompilerInstance &CI;
  const Request &R;
  const bool Strict;
  Answer &Out;
};

} // namespace

const ast::Loop *loopAt(const ast::LoopNest &Nest, const Context &C) {
  const ast::Loop *Best = nullptr;
  bool Begins = false;
  for (const auto &L : Nest.all()) {
    if (!C.S.isAt(L->Statement->getBeginLoc(), C.Asked))
      continue;
    const unsigned First = C.S.line(L->Statement->getBeginLoc()), Last = C.S.endLine(L->Statement);
    if (First > C.Asked.Line || Last < C.Asked.Line || (Begins && First != C.Asked.Line))
      continue;
    if (First == C.Asked.Line && Begins) // two on a line: the inner one
      Best = L->isWithin(Best) ? L.get() : Best;
    else
      Best = L.get();
    Begins |= First == C.Asked.Line;
  }
  return Best;
}

std::unique_ptr<ASTConsumer> makeConsumer(CompilerInstance &CI, const Request &R, bool StrictAliasing, Answer &Out) {
  return std::make_unique<Consumer>(CI, R, StrictAliasing, Out);
}

} // namespace whyhot::fix
