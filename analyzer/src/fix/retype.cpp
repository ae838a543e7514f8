// The type that is written: a char-like element becomes char8_t, of which the
// compiler knows that it aliases nothing else.
#include "fix/elements.h"
#include "fix/kinds.h"

#include "ast/facts/types.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::fix {
namespace {

// The declarations that the statement's byte-wide stores write to.
class Written {
public:
  Written(const Context &K, ASTContext &C) : K(K), C(C) {}

  void visit(const Stmt *S) {
    if (!S || isa<LambdaExpr>(S))
      return;
    const Expr *To = ast::writtenBy(S);
    if (To && ast::storesAsChar(To, C) && !isa<DeclRefExpr>(To->IgnoreParens()))
      note(To);
    for (const Stmt *Child : S->children())
      visit(Child);
  }

  std::vector<std::pair<const ValueDecl *, const Expr *>> Found;
  std::vector<Remark> Nameless;

private:
  void note(const Expr *To) {
    const ValueDecl *D = rootOf(To);
    if (!D) {
      Nameless.push_back(
          K.S.remark("`" + K.S.text(To) + "` has no declaration whose type could change", To->getBeginLoc()));
      return;
    }
    if (llvm::none_of(Found, [&](const auto &X) { return X.first == D->getCanonicalDecl(); }))
      Found.push_back({cast<ValueDecl>(D->getCanonicalDecl()), To});
  }

  const Context &K;
  ASTContext &C;
};

} // namespace

void retype(const ast::FunctionFacts &F, const Context &K, Answer &Out) {
  const ast::Loop *L = loopAt(F.Loops, K);
  if (!L)
    return;
  Written W(K, F.Context);
  W.visit(L->Statement);
  if (W.Found.empty() && W.Nameless.empty())
    return;
  Out.Found = true;
  Out.Refusals = W.Nameless;
  SourceLocation At = L->Statement->getBeginLoc();
  if (!F.Context.getLangOpts().Char8) {
    Out.Refusals = {K.S.remark("char8_t needs C++20: the unit is compiled for an older language", At)};
    return;
  }
  if (!K.StrictAliasing)
    Out.Refusals.push_back(
        K.S.remark("the unit is compiled with -fno-strict-aliasing: a change of type does nothing there", At));
  std::string Which;
  for (const auto &[D, To] : W.Found) {
    QualType T = D->getType().getNonReferenceType();
    const Elements Any(K.S, F.Context.CharTy, "", "", Out);
    QualType Element = T;
    for (QualType E = Any.elementOf(T); !E.isNull(); E = Any.elementOf(E))
      Element = E;
    if (Element.getCanonicalType() == T.getCanonicalType() || !Element->isIntegerType()) {
      Out.Refusals.push_back(K.S.remark("`" + D->getNameAsString() +
                                            "` is a pointer or no container: what it points to has its type elsewhere",
                                        D->getLocation()));
      continue;
    }
    Element = Element.getUnqualifiedType();
    Elements E(K.S, Element, Element.getAsString(F.Context.getPrintingPolicy()), "char8_t", Out);
    E.change(D);
    Which += (Which.empty() ? "`" : ", `") + D->getNameAsString() + "`";
  }
  Out.What = "gives the elements of " + Which + " the type char8_t, which aliases nothing else";
}

} // namespace whyhot::fix
