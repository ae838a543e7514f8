// short-loop: inner loops that run two to four times, by a number that the compiler
// does not know.
#include "ast/report.h"

#include "ast/facts/induction.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

constexpr uint64_t Fewest = 2, Most = 4;

// The static length of what is indexed: a built-in array or std::array.
uint64_t lengthOf(const Expr *Base, const ASTContext &C) {
  Base = Base->IgnoreParenImpCasts();
  if (const auto *AT = C.getAsConstantArrayType(Base->getType()))
    return AT->getSize().getZExtValue();
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Base->getType()->getAsCXXRecordDecl());
  if (S && S->isInStdNamespace() && S->getName() == "array" && S->getTemplateArgs().size() == 2 &&
      S->getTemplateArgs()[1].getKind() == TemplateArgument::Integral)
    return S->getTemplateArgs()[1].getAsIntegral().getZExtValue();
  return 0;
}

// An array of two to four elements that the loop's own iterations index by its
// counter alone: it can run no more often.
struct Limit {
  const Expr *Access = nullptr;
  uint64_t Length = 0;
};

class Walker {
public:
  Walker(const FunctionFacts &F, Report &R) : F(F), R(R) {}

  void run() {
    for (const auto &L : F.Loops.all())
      if (L->Parent)
        loop(*L);
  }

private:
  void loop(const Loop &L) {
    const VarDecl *Counter = counterOf(L);
    const Expr *Bound = Counter ? boundOf(L, Counter) : nullptr;
    Expr::EvalResult Known;
    if (!Bound || Bound->isValueDependent() || Bound->EvaluateAsInt(Known, F.Context) || !isGiven(Bound) ||
        !startsAtZero(L))
      return;
    Limit Is;
    limit(L, L.Body, Counter, Is);
    if (!Is.Access || hasLoop(L) || !isLight(L.Body))
      return;
    Match M = R.in("short-loop", F.Function, &L, L.Statement);
    M.First = R.span(Is.Access);
    M.Location = R.span(Bound->getSourceRange()).Text;
    M.Notes.push_back(M.First.Text + " has " + std::to_string(Is.Length) + " elements: the loop runs " +
                      std::to_string(Is.Length) + " times at most, and the compiler makes it for any number");
    R.add(std::move(M), F.Function);
  }

  // A number that somebody passes or keeps: a parameter, a member, a local that is
  // not computed in the loop around.
  static bool isGiven(const Expr *Bound) {
    Bound = Bound->IgnoreParenImpCasts();
    return isa<MemberExpr>(Bound) || (isa<DeclRefExpr>(Bound) && isa<VarDecl>(cast<DeclRefExpr>(Bound)->getDecl()));
  }

  static bool startsAtZero(const Loop &L) {
    const auto *For = cast<ForStmt>(L.Statement);
    const Expr *Init = nullptr;
    if (const auto *DS = dyn_cast_or_null<DeclStmt>(For->getInit()); DS && DS->isSingleDecl())
      Init = cast<VarDecl>(DS->getSingleDecl())->getInit();
    else if (const auto *BO = dyn_cast_or_null<BinaryOperator>(For->getInit()); BO && BO->getOpcode() == BO_Assign)
      Init = BO->getRHS();
    const auto *Zero = Init ? dyn_cast<IntegerLiteral>(Init->IgnoreParenImpCasts()) : nullptr;
    return Zero && Zero->getValue() == 0;
  }

  // Is there so little in the body that the count of the iterations matters?
  static bool isLight(const Stmt *Body) {
    constexpr size_t Statements = 2;
    const auto *CS = dyn_cast<CompoundStmt>(Body);
    return !(CS && CS->size() > Statements) && !calls(Body);
  }

  static bool calls(const Stmt *S) {
    if (!S)
      return false;
    if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(S);
        OC ? OC->getOperator() != OO_Subscript : isa<CallExpr, CXXConstructExpr>(S))
      return true;
    return llvm::any_of(S->children(), calls);
  }

  bool hasLoop(const Loop &Outer) const {
    return llvm::any_of(F.Loops.all(), [&](const auto &L) { return L->Parent == &Outer; });
  }

  // The shortest array. An access that only runs sometimes limits nothing.
  void limit(const Loop &L, const Stmt *S, const VarDecl *Counter, Limit &Is) const {
    if (!S || isa<LambdaExpr, IfStmt, ConditionalOperator, SwitchStmt, BreakStmt, ReturnStmt, GotoStmt>(S))
      return;
    const Expr *Base = nullptr, *Index = nullptr;
    if (const auto *AS = dyn_cast<ArraySubscriptExpr>(S)) {
      Base = AS->getBase();
      Index = AS->getIdx();
    } else if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(S);
               OC && OC->getOperator() == OO_Subscript && OC->getNumArgs() == 2) {
      Base = OC->getArg(0);
      Index = OC->getArg(1);
    }
    if (Index)
      if (const auto *DRE = dyn_cast<DeclRefExpr>(Index->IgnoreParenImpCasts()); DRE && DRE->getDecl() == Counter)
        if (const uint64_t N = lengthOf(Base, F.Context); N >= Fewest && N <= Most && (!Is.Access || N < Is.Length))
          Is = {cast<Expr>(S), N};
    for (const Stmt *Child : S->children())
      limit(L, Child, Counter, Is);
  }

  const FunctionFacts &F;
  Report &R;
};

void inFunction(const FunctionFacts &F, Report &R) {
  if (R.wants("short-loop") && !F.Loops.all().empty())
    Walker(F, R).run();
}

const Registered<Rule> ShortLoopRule("short-loop", {inFunction, nullptr});

} // namespace

} // namespace whyhot::ast
