#include "ast/walk.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace whyhot::ast {

class Walker : public RecursiveASTVisitor<Walker> {
public:
  explicit Walker(Walk &W) : W(W) {}
  bool shouldVisitTemplateInstantiations() const { return W.Goes.Instantiations; }
  bool shouldVisitImplicitCode() const { return W.Goes.Implicit; }

  bool TraverseDecl(Decl *D) {
    W.traverse(D);
    return true;
  }
  bool VisitDecl(Decl *D) {
    W.decl(D);
    return true;
  }
  bool VisitStmt(Stmt *S) {
    W.stmt(S);
    return true;
  }
  bool VisitTypeLoc(TypeLoc T) {
    W.type(T);
    return true;
  }

private:
  Walk &W;
};

void Walk::traverse(Decl *D) { Walker(*this).RecursiveASTVisitor<Walker>::TraverseDecl(D); }

void Walk::traverse(TypeLoc T) { Walker(*this).TraverseTypeLoc(T); }

} // namespace whyhot::ast
