// std::vector<bool>: an element becomes a byte of its own, in every declaration
// that has to have the same type. char8_t where the language has it, else a class
// of one bool: unlike a char, both alias nothing else.
#include "fix/bits.h"
#include "fix/elements.h"
#include "fix/kinds.h"

using namespace clang;

namespace whyhot::fix {
namespace {

class FlagFinder {
public:
  explicit FlagFinder(const Context &K) : K(K) {}

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
    if (isa<VarDecl, FieldDecl>(D) && packsBits(D->getType()) && !llvm::is_contained(Found, D->getCanonicalDecl()))
      Found.push_back(cast<ValueDecl>(D->getCanonicalDecl()));
  }

  const Context &K;
};

} // namespace

void vectorBool(const std::vector<const FunctionDecl *> &Around, ASTContext &C, const Context &K, Answer &Out) {
  const std::string &Element = K.Asked.Element;
  if (Element.empty() && !C.getLangOpts().Char8) {
    Out.Found = true;
    Out.What = NoChar8;
    return;
  }
  if (!Element.empty() && C.Idents.find(Element) != C.Idents.end()) {
    Out.Found = true;
    Out.Refusals.push_back({"the name " + Element + " is taken in the program", "", 0, 0});
    return;
  }
  FlagFinder Find(K);
  for (const FunctionDecl *F : Around) {
    ast::LoopNest Nest(F->getBody());
    if (const ast::Loop *L = loopAt(Nest, K))
      Find.visit(L->Statement);
    else
      Find.onLine(F->getBody());
  }
  Bits All(K.S, Element.empty() ? "char8_t" : Element, !Element.empty());
  std::vector<std::string> Asked;
  for (const ValueDecl *D : Find.Found)
    llvm::append_range(Asked, All.of(D));
  Out.Slots = All.slots();
  for (Slot &X : Out.Slots)
    X.Asked = llvm::is_contained(Asked, X.Id);
  Out.Found = !Out.Slots.empty();
}

} // namespace whyhot::fix
