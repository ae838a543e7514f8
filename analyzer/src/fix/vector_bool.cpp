// std::vector<bool>: an element becomes a byte of its own. char8_t where the
// language has it, for it aliases nothing; char otherwise, and that is said.
#include "fix/elements.h"
#include "fix/kinds.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace whyhot::fix {
namespace {

bool holdsBits(QualType T, ASTContext &C) {
  T = T.getNonReferenceType();
  if (const auto *A = C.getAsArrayType(T))
    return holdsBits(A->getElementType(), C);
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
  if (!R || !R->isInStdNamespace() ||
      (R->getName() != "vector" && R->getName() != "array" && R->getName() != "deque") ||
      R->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return false;
  QualType E = R->getTemplateArgs()[0].getAsType();
  return R->getName() == "vector" && E->isBooleanType() ? true : holdsBits(E, C);
}

class Finder {
public:
  Finder(const Context &K, ASTContext &C) : K(K), C(C) {}

  void visit(const Stmt *S) {
    if (!S)
      return;
    if (const auto *DS = dyn_cast<DeclStmt>(S))
      for (const Decl *D : DS->decls())
        if (const auto *V = dyn_cast<VarDecl>(D); V && !V->isImplicit() && K.S.line(V->getLocation()) == K.Asked.Line)
          note(V);
    if (const auto *E = dyn_cast<Expr>(S); E && (isa<DeclRefExpr, MemberExpr>(E)))
      note(isa<DeclRefExpr>(E) ? cast<DeclRefExpr>(E)->getDecl() : cast<MemberExpr>(E)->getMemberDecl());
    for (const Stmt *Child : S->children())
      visit(Child);
  }

  // What stands on the line itself, for a finding outside a loop.
  void onLine(const Stmt *S) {
    if (!S)
      return;
    const bool Here = K.S.line(S->getBeginLoc()) == K.Asked.Line;
    if (Here && !isa<CompoundStmt>(S))
      return visit(S);
    for (const Stmt *Child : S->children())
      onLine(Child);
  }

  std::vector<const ValueDecl *> Found;

private:
  void note(const ValueDecl *D) {
    // A reference to a row leads to what it is a row of.
    if (const auto *V = dyn_cast<VarDecl>(D);
        V && V->isLocalVarDecl() && V->getType()->isReferenceType() && V->getInit())
      if (const ValueDecl *Root = rootOf(V->getInit()); Root && Root != D)
        return note(Root);
    if (isa<VarDecl, FieldDecl>(D) && holdsBits(D->getType(), C) && !llvm::is_contained(Found, D->getCanonicalDecl()))
      Found.push_back(cast<ValueDecl>(D->getCanonicalDecl()));
  }

  const Context &K;
  ASTContext &C;
};

} // namespace

void vectorBool(const ast::FunctionFacts &F, const Context &K, Answer &Out) {
  Finder Find(K, F.Context);
  if (const ast::Loop *L = loopAt(F.Loops, K))
    Find.visit(L->Statement);
  else
    Find.onLine(F.Function->getBody());
  if (Find.Found.empty())
    return;
  Out.Found = true;
  const LangOptions &LO = F.Context.getLangOpts();
  const std::string New = LO.Char8 ? "char8_t" : "char";
  Elements E(K.S, F.Context.BoolTy, "bool", New, Out);
  std::string Which;
  for (const ValueDecl *D : Find.Found) {
    E.change(D);
    Which += (Which.empty() ? "`" : ", `") + D->getNameAsString() + "`";
  }
  Out.What = "gives each element of " + Which + " a byte of its own, a " + New;
  Out.Notes.push_back(K.S.remark("the elements take eight times the memory", Find.Found.front()->getLocation()));
  if (!LO.Char8)
    Out.Notes.push_back(K.S.remark("char8_t needs C++20; a char aliases everything, so that a store of an element may "
                                   "force values of other types to be loaded again",
                                   Find.Found.front()->getLocation()));
}

} // namespace whyhot::fix
