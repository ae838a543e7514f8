#include "ast/facts/call_graph.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {

void CallGraph::see(const FunctionDecl *F, const LoopNest &Loops) {
  visit(F->getBody(), F->getCanonicalDecl(), Loops, nullptr);
}

void CallGraph::visit(const Stmt *S, const FunctionDecl *In, const LoopNest &Loops, const Stmt *Callee) {
  if (!S || isa<LambdaExpr>(S))
    return;
  const Stmt *Named = nullptr; // the name of what is called, which is no other use
  const FunctionDecl *To = nullptr;
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    To = Call->getDirectCallee();
    Named = Call->getCallee()->IgnoreParenImpCasts();
  } else if (const auto *CC = dyn_cast<CXXConstructExpr>(S)) {
    To = CC->getConstructor();
  }
  if (To) {
    To = To->getCanonicalDecl();
    Callers[To].push_back(In);
    if (Loops.of(S).In)
      Looped.insert(To);
  }
  if (S != Callee)
    if (const auto *DRE = dyn_cast<DeclRefExpr>(S))
      if (const auto *F = dyn_cast<FunctionDecl>(DRE->getDecl()))
        Taken.insert(F->getCanonicalDecl());
  for (const Stmt *Child : S->children())
    visit(Child, In, Loops,
          Child && isa<Expr>(Child) && cast<Expr>(Child)->IgnoreParenImpCasts() == Named ? Named : Callee);
}

bool CallGraph::isInLoop(const FunctionDecl *F) const {
  llvm::DenseSet<const FunctionDecl *> Seen;
  std::vector<const FunctionDecl *> Work{F->getCanonicalDecl()};
  while (!Work.empty()) {
    const FunctionDecl *At = Work.back();
    Work.pop_back();
    if (Looped.contains(At))
      return true;
    if (!Seen.insert(At).second)
      continue;
    if (auto It = Callers.find(At); It != Callers.end())
      Work.insert(Work.end(), It->second.begin(), It->second.end());
  }
  return false;
}

} // namespace whyhot::ast
