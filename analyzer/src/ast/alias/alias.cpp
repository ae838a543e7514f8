// The alias rules: alias-loop-condition and its two narrower forms,
// alias-pointer-field, alias-pointer-dereference, alias-array-element and
// alias-multidim. All are names for shapes of one fact: memory is read again
// because a char-like store lies between.
#include "ast/report.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace whyhot::ast {
namespace {

const std::vector<std::string> UsualAccessors = {"size",   "len",  "count",  "length", "begin", "end",
                                                 "rbegin", "rend", "cbegin", "cend",   "empty"};

// The innermost loop that runs both statements.
const Loop *commonLoop(const LoopNest &Nest, const Stmt *A, const Stmt *B) {
  const Loop *Outer = Nest.of(B).In;
  for (const Loop *L = Nest.of(A).In; L; L = L->Parent)
    if (Outer && Outer->isWithin(L))
      return L;
  return nullptr;
}

bool isLinear(const Stmt *S, Callees &K) {
  if (!S)
    return true;
  if (isBranch(S))
    return false;
  const FunctionDecl *F = nullptr;
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    F = Call->getDirectCallee();
    if (!F)
      return false;
  } else if (const auto *CC = dyn_cast<CXXConstructExpr>(S); CC && !CC->getConstructor()->isTrivial()) {
    F = CC->getConstructor();
  }
  if (F && !(K.of(F).Linear && K.of(F).Transparent))
    return false;
  return llvm::all_of(S->children(), [&](const Stmt *Child) { return isLinear(Child, K); });
}

bool callsByName(const Stmt *S, const std::vector<std::string> &Accessors) {
  if (!S)
    return false;
  if (const auto *Call = dyn_cast<CallExpr>(S))
    if (const FunctionDecl *F = Call->getDirectCallee(); F && F->getIdentifier() && F->isInlined())
      if (llvm::is_contained(Accessors, F->getName()))
        return true;
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return callsByName(Child, Accessors); });
}

// The shape of the second access.
RuleId shapeOf(const Effect &Second) {
  const Expr *E = Second.Inner->IgnoreParenImpCasts();
  if (isa<ArraySubscriptExpr>(E))
    return "alias-array-element";
  // A reference to a member, handed to an inline function, is the member.
  if (isa<MemberExpr>(E) || Second.Where.At.endsIn(AccessPath::Step::Field))
    return "alias-pointer-field";
  return "alias-pointer-dereference";
}

// A row is found again: the pointer to an element's own elements is itself an
// element.
bool readsRowAgain(const Effect &Second) { return Second.Type->isPointerType() && Second.Where.At.hasElement(); }

class Classifier {
public:
  Classifier(const FunctionFacts &F, Report &R) : F(F), R(R) {}

  void classify(const Reload &X) {
    const Loop *Both = commonLoop(F.Loops, X.Write.Site, X.Second.Site);
    // Two inlined calls one after the other: no one writes them differently.
    if (!Both && X.Write.Inner != X.Write.Site && X.Second.Inner != X.Second.Site)
      return;
    const Loop *Condition = F.Loops.of(X.Second.Site).Condition;
    if (Condition && Both == Condition)
      inCondition(X, Condition);
    emit(shapeOf(X.Second), X, Both);
    if (Both && readsRowAgain(X.Second))
      emit("alias-multidim", X, Both);
  }

private:
  void inCondition(const Reload &X, const Loop *L) {
    emit("alias-loop-condition", X, L);
    if (isLinear(L->Body, F.Known) && isLinear(increment(L), F.Known) && calleesAreLinear(L->Condition))
      emit("alias-loop-condition-linear", X, L);
    const std::vector<std::string> &Accessors = R.O.Accessors.empty() ? UsualAccessors : R.O.Accessors;
    if (callsByName(X.Second.Site, Accessors))
      emit("alias-loop-condition-name", X, L);
  }

  // The condition itself may branch (a && b); what it calls may not.
  bool calleesAreLinear(const Stmt *S) {
    if (!S)
      return true;
    if (const auto *Call = dyn_cast<CallExpr>(S)) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      if (!Callee || !F.Known.of(Callee).Linear || !F.Known.of(Callee).Transparent)
        return false;
    }
    return llvm::all_of(S->children(), [&](const Stmt *Child) { return calleesAreLinear(Child); });
  }

  static const Stmt *increment(const Loop *L) {
    const auto *For = dyn_cast<ForStmt>(L->Statement);
    return For ? For->getInc() : nullptr;
  }

  void emit(RuleId Rule, const Reload &X, const Loop *L) {
    if (!R.wants(Rule))
      return;
    Match M = R.in(Rule, F.Function, L, X.Second.Site);
    M.First = R.span(X.First.Site ? X.First.Site : X.First.Inner);
    M.Write = R.span(X.Write.Site);
    M.Second = R.span(X.Second.Site);
    M.Location = nameOf(X.Second.Site, M.Second);
    M.Target = R.written(X.Write.Inner);
    M.Weak = inLibrary(X.Write) && inLibrary(X.Second);
    if (X.Second.Inner != X.Second.Site)
      M.Notes.push_back("the load is in an inline function: " + where(X.Second.Inner));
    if (X.Write.Inner != X.Write.Site)
      M.Notes.push_back("the store is in an inline function: " + where(X.Write.Inner));
    R.add(std::move(M), F.Function);
  }

  // What a reader calls the location: the source text, but for what a macro hides
  // and for p->f of a smart pointer, where the operator's text ends in an arrow.
  std::string nameOf(const Expr *E, const Span &At) const {
    if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E); Call && Call->getOperator() == OO_Arrow)
      return nameOf(Call->getArg(0), R.span(Call->getArg(0)));
    if (!E->getBeginLoc().isMacroID() && !E->getEndLoc().isMacroID())
      return At.Text;
    std::string Text;
    llvm::raw_string_ostream Out(Text);
    E->printPretty(Out, nullptr, F.Context.getPrintingPolicy());
    return firstLine(Text);
  }

  bool inLibrary(const Effect &X) const {
    return X.Inner != X.Site && F.Context.getSourceManager().isInSystemHeader(X.Inner->getBeginLoc());
  }

  std::string where(const Expr *E) const {
    Span S = R.span(E);
    return S.Text + " at " + llvm::sys::path::filename(S.File).str() + ":" + std::to_string(S.Line);
  }

  const FunctionFacts &F;
  Report &R;
};

void inFunction(const FunctionFacts &F, Report &R) {
  if (!mayStoreChar(F))
    return;
  Classifier C(F, R);
  for (const Reload &X : findReloads(F))
    C.classify(X);
}

const Registered<Rule> AliasRule("alias", {inFunction, nullptr});

} // namespace

} // namespace whyhot::ast
