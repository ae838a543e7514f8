// exceptions-control-flow: exceptions that are thrown and caught in the same
// loop nest, so that iterations pay for unwinding.
#include "ast/report.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::ast {
namespace {

constexpr unsigned MaxDepth = 3; // of calls that are followed to a throw

// Standard functions that report ordinary bad input by an exception.
bool throwsOnBadInput(const FunctionDecl *F) {
  if (!F->getIdentifier() || !F->isInStdNamespace())
    return isa<CXXMethodDecl>(F) && F->getIdentifier() && F->getName() == "at" &&
           cast<CXXMethodDecl>(F)->getParent()->isInStdNamespace();
  return llvm::StringSwitch<bool>(F->getName())
      .Cases("stoi", "stol", "stoll", "stoul", "stoull", "stof", "stod", "stold", "any_cast", true)
      .Default(false);
}

bool catches(const CXXCatchStmt *Handler, QualType Thrown) {
  if (!Handler->getExceptionDecl() || Thrown.isNull())
    return true; // catch (...), or an exception of the library
  QualType Caught = Handler->getCaughtType().getNonReferenceType().getCanonicalType().getUnqualifiedType();
  Thrown = Thrown.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (Caught == Thrown)
    return true;
  const auto *Base = Caught->getAsCXXRecordDecl(), *Derived = Thrown->getAsCXXRecordDecl();
  return Base && Derived && Derived->hasDefinition() && Derived->isDerivedFrom(Base);
}

// Does the handler end the loop, so that it runs once at most?
bool leaves(const Stmt *S, bool InInnerLoop = false) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (isa<ReturnStmt, CXXThrowExpr, GotoStmt>(S) || (isa<BreakStmt>(S) && !InInnerLoop))
    return true;
  if (const auto *Call = dyn_cast<CallExpr>(S))
    if (const FunctionDecl *F = Call->getDirectCallee(); F && F->isNoReturn())
      return true;
  const bool Inner = InInnerLoop || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt>(S);
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return leaves(Child, Inner); });
}

struct Throw {
  const Expr *Site = nullptr; // in the function looked at
  QualType Type;
  std::string Through; // the function that throws, when another
};

void findThrows(const Stmt *S, const Expr *Site, unsigned Depth, std::vector<Throw> &Out) {
  if (!S || isa<LambdaExpr>(S) || (Depth > 0 && isa<CXXTryStmt>(S)))
    return;
  if (const auto *T = dyn_cast<CXXThrowExpr>(S); T && T->getSubExpr())
    Out.push_back({Site ? Site : T, T->getSubExpr()->getType(), ""});
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = Call->getDirectCallee(), *Definition = nullptr;
    const Expr *At = Site ? Site : Call;
    if (F && throwsOnBadInput(F)) {
      Out.push_back({At, {}, F->getQualifiedNameAsString()});
    } else if (F && Depth < MaxDepth && F->hasBody(Definition) && !Definition->isInStdNamespace()) {
      const size_t Before = Out.size();
      findThrows(Definition->getBody(), At, Depth + 1, Out);
      for (size_t I = Before; I < Out.size(); I++)
        Out[I].Through = F->getQualifiedNameAsString();
    }
  }
  for (const Stmt *Child : S->children())
    findThrows(Child, Site, Depth, Out);
}

void visit(const Stmt *S, const FunctionFacts &F, Report &R) {
  if (!S || isa<LambdaExpr>(S))
    return;
  const auto *Try = dyn_cast<CXXTryStmt>(S);
  if (const Loop *L = Try ? F.Loops.of(Try).In : nullptr) {
    std::vector<Throw> Throws;
    findThrows(Try->getTryBlock(), nullptr, 0, Throws);
    for (const Throw &T : Throws)
      for (unsigned I = 0; I < Try->getNumHandlers(); I++) {
        const CXXCatchStmt *Handler = Try->getHandler(I);
        if (!catches(Handler, T.Type))
          continue;
        if (!leaves(Handler->getHandlerBlock())) {
          Match M = R.in("exceptions-control-flow", F.Function, L, Try);
          M.First = R.span(Try);
          M.Write = R.span(T.Site);
          M.Second = R.span(Handler);
          M.Location = M.Write.Text;
          if (!T.Through.empty())
            M.Notes.push_back("thrown in " + T.Through);
          R.add(std::move(M), F.Function);
        }
        break; // the first handler that fits is the one that runs
      }
  }
  for (const Stmt *Child : S->children())
    visit(Child, F, R);
}

void inFunction(const FunctionFacts &F, Report &R) {
  if (R.wants("exceptions-control-flow") && !F.Loops.all().empty())
    visit(F.Function->getBody(), F, R);
}

const Registered<Rule> ExceptionFlowRule("exception-flow", {inFunction, nullptr});

} // namespace

} // namespace whyhot::ast
