#include "ast/facts/threads.h"

#include "ast/facts/types.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

// std::thread and std::jthread start their first argument that is a function.
bool isThread(const CXXRecordDecl *R) {
  return R && R->getIdentifier() && R->isInStdNamespace() && (R->getName() == "thread" || R->getName() == "jthread");
}

// The argument of a C library's call that is the new thread's function.
std::optional<unsigned> entryArgument(const FunctionDecl *F) {
  if (!F->getIdentifier())
    return std::nullopt;
  if (F->getName() == "pthread_create")
    return 2;
  if (F->getName() == "thrd_create")
    return 1;
  return std::nullopt;
}

} // namespace

std::vector<const FieldDecl *> runOf(const FieldDecl *F) {
  std::vector<const FieldDecl *> Run;
  bool Found = false;
  for (const FieldDecl *Each : F->getParent()->fields()) {
    const bool Ends = !Each->isBitField() || Each->isZeroLengthBitField(F->getASTContext());
    if (Ends && Found)
      break;
    if (Ends) {
      Run.clear();
      continue;
    }
    Run.push_back(Each);
    Found |= Each == F;
  }
  return Run;
}

void ThreadFacts::see(const Stmt *S, const FunctionDecl *In) {
  if (const Expr *To = writtenBy(S)) {
    if (const FieldDecl *FD = bitFieldOf(To))
      Updates.push_back({FD->getCanonicalDecl(), In->getCanonicalDecl()});
  } else if (const auto *CC = dyn_cast<CXXConstructExpr>(S)) {
    if (isThread(CC->getConstructor()->getParent()))
      for (const Expr *A : CC->arguments())
        starts(A);
  } else if (const auto *Call = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F)
      return;
    Calls[In->getCanonicalDecl()].push_back(F->getCanonicalDecl());
    if (auto N = entryArgument(F); N && *N < Call->getNumArgs())
      starts(Call->getArg(*N));
  }
}

// The function may be named, a member's address, or a lambda.
void ThreadFacts::starts(const Expr *Entry) {
  if (!Entry)
    return;
  Entry = Entry->IgnoreImplicit()->IgnoreParenCasts();
  if (const auto *UO = dyn_cast<UnaryOperator>(Entry); UO && UO->getOpcode() == UO_AddrOf)
    Entry = UO->getSubExpr()->IgnoreParens();
  if (const auto *L = dyn_cast<LambdaExpr>(Entry))
    Entries.push_back(L->getCallOperator()->getCanonicalDecl());
  else if (const auto *DRE = dyn_cast<DeclRefExpr>(Entry))
    if (const auto *F = dyn_cast<FunctionDecl>(DRE->getDecl()))
      Entries.push_back(F->getCanonicalDecl());
}

ThreadFacts::Functions ThreadFacts::reach(const FunctionDecl *Entry) const {
  Functions Seen;
  std::vector<const FunctionDecl *> Work{Entry};
  while (!Work.empty()) {
    const FunctionDecl *F = Work.back();
    Work.pop_back();
    if (!Seen.insert(F).second)
      continue;
    if (auto It = Calls.find(F); It != Calls.end())
      Work.insert(Work.end(), It->second.begin(), It->second.end());
  }
  return Seen;
}

std::optional<ThreadFacts::Update> ThreadFacts::elsewhere(const FieldDecl *F, const FunctionDecl *From) const {
  const std::vector<const FieldDecl *> Run = runOf(F);
  From = From->getCanonicalDecl();
  for (const FunctionDecl *Entry : Entries) {
    const Functions There = reach(Entry);
    for (const Update &U : Updates)
      if (U.Field != F && llvm::is_contained(Run, U.Field) && There.contains(U.In) != There.contains(From))
        return U;
  }
  return std::nullopt;
}

} // namespace whyhot::ast
