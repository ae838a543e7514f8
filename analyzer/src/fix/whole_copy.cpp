// A loop that copies a std::vector<bool> element by element: the vectors are
// assigned where the loop copies all of them, which moves words. Whether it does
// is asked at run time, so the sizes need not be known:
//
//	for (int i = 0; i < n; i++) a[i] = b[i];
//	if (size_t(n) == a.size() && a.size() == b.size()) a = b; else for …
//
// Only element i is read and written in iteration i, so several such copies in one
// loop are the same as the assignments in their order.
#include "fix/bits.h"
#include "fix/kinds.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace whyhot::fix {
namespace {

const Expr *plain(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *FE = dyn_cast<FullExpr>(E))
    return plain(FE->getSubExpr());
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return plain(M->getSubExpr());
  return E;
}

bool isVectorOfBool(QualType T) {
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T.getNonReferenceType()->getAsCXXRecordDecl());
  return R && R->isInStdNamespace() && R->getName() == "vector" && packsBits(T) &&
         R->getTemplateArgs()[0].getAsType()->isBooleanType();
}

// A variable, or a member of one: it is the same object in every iteration, for
// the loop writes nothing but elements.
bool isSame(const Expr *E, const VarDecl *I) {
  E = E->IgnoreParenImpCasts();
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return isa<VarDecl>(D->getDecl()) && D->getDecl() != I && !D->getType().isVolatileQualified();
  if (isa<CXXThisExpr, IntegerLiteral>(E))
    return true;
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return isa<FieldDecl>(M->getMemberDecl()) && !M->getType().isVolatileQualified() && isSame(M->getBase(), I);
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return U->getOpcode() == UO_Deref && isSame(U->getSubExpr(), I);
  return false;
}

// x of x[i], where x is a std::vector<bool>; null for anything else.
const Expr *indexed(const Expr *E, const VarDecl *I) {
  E = plain(E);
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E)) { // a proxy becomes a bool
    if (!isa_and_nonnull<CXXConversionDecl>(Call->getMethodDecl()))
      return nullptr;
    E = plain(Call->getImplicitObjectArgument());
  }
  const auto *Sub = dyn_cast<CXXOperatorCallExpr>(E);
  if (!Sub || Sub->getOperator() != OO_Subscript || !isVectorOfBool(Sub->getArg(0)->getType()))
    return nullptr;
  const auto *Index = dyn_cast<DeclRefExpr>(Sub->getArg(1)->IgnoreParenImpCasts());
  const Expr *X = Sub->getArg(0)->IgnoreParenImpCasts();
  return Index && Index->getDecl() == I && isSame(X, I) ? X : nullptr;
}

struct Copy {
  const Expr *To, *From;
};

std::vector<Copy> copies(const Stmt *Body, const VarDecl *I) {
  std::vector<const Stmt *> All;
  if (const auto *Block = dyn_cast<CompoundStmt>(Body))
    All.assign(Block->body_begin(), Block->body_end());
  else
    All.push_back(Body);
  std::vector<Copy> Out;
  for (const Stmt *S : All) {
    const auto *E = dyn_cast<Expr>(S);
    const auto *Assign = E ? dyn_cast<CXXOperatorCallExpr>(plain(E)) : nullptr;
    if (!Assign || Assign->getOperator() != OO_Equal)
      return {};
    const Expr *To = indexed(Assign->getArg(0), I), *From = indexed(Assign->getArg(1), I);
    if (!To || !From)
      return {};
    Out.push_back({To, From});
  }
  return Out;
}

// for (T i = 0; i < bound; i++), or with != for <.
const VarDecl *counter(const ForStmt *For, const Expr *&Bound) {
  const auto *DS = dyn_cast_or_null<DeclStmt>(For->getInit());
  const auto *V = DS && DS->isSingleDecl() ? dyn_cast<VarDecl>(DS->getSingleDecl()) : nullptr;
  const auto *Zero = V && V->getInit() ? dyn_cast<IntegerLiteral>(V->getInit()->IgnoreParenImpCasts()) : nullptr;
  const auto *Cond = dyn_cast_or_null<BinaryOperator>(For->getCond() ? For->getCond()->IgnoreParenImpCasts() : nullptr);
  const auto *Inc = dyn_cast_or_null<UnaryOperator>(For->getInc() ? For->getInc()->IgnoreParens() : nullptr);
  if (!Zero || !Zero->getValue().isZero() || !V->getType()->isIntegerType() || !Cond || !Inc || !Inc->isIncrementOp() ||
      (Cond->getOpcode() != BO_LT && Cond->getOpcode() != BO_NE))
    return nullptr;
  const auto *L = dyn_cast<DeclRefExpr>(Cond->getLHS()->IgnoreParenImpCasts());
  const auto *X = dyn_cast<DeclRefExpr>(Inc->getSubExpr()->IgnoreParenImpCasts());
  if (!L || !X || L->getDecl() != V || X->getDecl() != V)
    return nullptr;
  Bound = Cond->getRHS()->IgnoreParenImpCasts();
  return V;
}

// The vector whose size() the bound is.
const Expr *sizeOf(const Expr *Bound, const VarDecl *I) {
  const auto *Call = dyn_cast<CXXMemberCallExpr>(Bound);
  if (!Call || !Call->getMethodDecl() || !Call->getMethodDecl()->getIdentifier() ||
      Call->getMethodDecl()->getName() != "size" || !isVectorOfBool(Call->getImplicitObjectArgument()->getType()))
    return nullptr;
  const Expr *X = Call->getImplicitObjectArgument()->IgnoreParenImpCasts();
  return isSame(X, I) ? X : nullptr;
}

} // namespace

void wholeCopy(const ast::FunctionFacts &F, const Context &K, Answer &Out) {
  const ast::Loop *L = loopAt(F.Loops, K);
  const auto *For = L ? dyn_cast<ForStmt>(L->Statement) : nullptr;
  const Expr *Bound = nullptr;
  const VarDecl *I = For ? counter(For, Bound) : nullptr;
  if (!I)
    return;
  const std::vector<Copy> All = copies(For->getBody(), I);
  if (All.empty())
    return;
  Out.Found = true;
  const Expr *Sized = sizeOf(Bound, I);
  auto Whole = K.S.range(For->getSourceRange());
  if (!Whole)
    return Out.Refusals.push_back(K.S.remark("a macro writes the loop", For->getBeginLoc()));
  if (!Sized && !isSame(Bound, I))
    return Out.Refusals.push_back(
        K.S.remark("`" + K.S.text(Bound) + "` may not be the same in every iteration", Bound->getBeginLoc()));
  const auto object = [&](const Expr *E) { return isa<UnaryOperator>(E) ? "(" + K.S.text(E) + ")" : K.S.text(E); };
  const std::string First = Sized ? object(Sized) : object(All.front().To);
  std::string Test, Assign, What;
  const auto test = [&](const std::string &X) {
    const std::string Term = X + " == " + First + ".size()";
    if (X != First + ".size()" && ("&& " + Test + " &&").find("&& " + Term + " &&") == std::string::npos)
      Test += (Test.empty() ? "" : " && ") + Term;
  };
  if (!Sized)
    test("static_cast<std::size_t>(" + K.S.text(Bound) + ")");
  const std::string Eol = K.S.lineEnd(For->getBeginLoc()), Indent = K.S.indentation(For->getBeginLoc());
  const std::string Step = Indent.find('\t') != std::string::npos ? "\t" : "  ";
  for (const Copy &X : All) {
    test(object(X.To) + ".size()");
    test(object(X.From) + ".size()");
    Assign += Indent + Step + K.S.text(X.To) + " = " + K.S.text(X.From) + ";" + Eol;
    What += (What.empty() ? "`" : ", `") + K.S.text(X.To) + " = " + K.S.text(X.From) + "`";
  }
  if (Test.empty()) // a vector that is copied to itself
    return Out.Refusals.push_back(K.S.remark("the vectors are one", For->getBeginLoc()));
  Out.Edits.push_back(K.S.insert(Whole->getBegin(),
                                 "if (" + Test + ") { // all of it: whole words" + Eol + Assign + Indent + "} else "));
  Out.What = "copies whole words (" + What + ") where the loop would copy every element";
  Out.Notes.push_back(K.S.remark("the standard lets an assignment invalidate iterators that are kept into " +
                                     K.S.text(All.front().To) +
                                     "; libstdc++ and libc++ keep the memory where sizes are equal",
                                 For->getBeginLoc()));
}

} // namespace whyhot::fix
