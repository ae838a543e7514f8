#include "ast/functions.h"

#include "ast/walk.h"

#include "clang/AST/StmtCXX.h"

#include <algorithm>
#include <map>

using namespace clang;

namespace whyhot::ast {
namespace {

// Patterns of templates, not their instantiations: the source has them once.
class Functions final : public Walk {
public:
  explicit Functions(const ASTContext &C) : SM(C.getSourceManager()), Policy(C.getPrintingPolicy()) {}

  void traverse(Decl *D) override {
    if (!D || In || !begin(D))
      return Walk::traverse(D);
    In = true;
    Walk::traverse(D);
    In = false;
  }

  std::vector<Function> take() {
    for (Function &F : Found) {
      std::sort(F.Loops.begin(), F.Loops.end());
      F.Loops.erase(std::unique(F.Loops.begin(), F.Loops.end()), F.Loops.end());
    }
    return std::move(Found);
  }

private:
  // Is the declaration a function, or a variable whose initialiser may hold one?
  bool begin(const Decl *D) {
    const auto *F = dyn_cast<FunctionDecl>(D);
    const auto *V = dyn_cast<VarDecl>(D);
    const auto *M = dyn_cast<FieldDecl>(D);
    const bool HasCode = F ? F->isThisDeclarationADefinition() && !F->isDefaulted() && !F->isDeleted()
                           : (V && V->hasInit()) || (M && M->hasInClassInitializer());
    if (!HasCode)
      return false;
    const PresumedLoc Begin = SM.getPresumedLoc(SM.getExpansionLoc(D->getBeginLoc()));
    const PresumedLoc End = SM.getPresumedLoc(SM.getExpansionRange(D->getEndLoc()).getEnd());
    if (Begin.isInvalid() || End.isInvalid())
      return false;
    const auto *Named = cast<NamedDecl>(D);
    Function X;
    X.File = Begin.getFilename();
    X.Line = Begin.getLine();
    X.EndLine = End.getLine();
    llvm::raw_string_ostream Key(X.Key);
    Named->printQualifiedName(Key, Policy);
    // Overloads differ in their types. As they are written: what a parameter's
    // type is an alias of may be the matter of a macro.
    if (F)
      Key << ' ' << F->getType().getAsString(Policy);
    // Two of one name and type: of macros, of constraints, of specialisations.
    if (const unsigned Before = Count[X.File + '\n' + X.Key]++)
      Key << " #" << Before + 1;
    Found.push_back(std::move(X));
    return true;
  }

  void stmt(Stmt *S) override {
    if (!In || !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
      return;
    const PresumedLoc At = SM.getPresumedLoc(SM.getExpansionLoc(S->getBeginLoc()));
    if (At.isValid())
      Found.back().Loops.push_back({At.getLine(), At.getColumn()});
  }

  const SourceManager &SM;
  const PrintingPolicy Policy;
  std::vector<Function> Found;
  std::map<std::string, unsigned> Count;
  bool In = false;
};

} // namespace

std::vector<Function> functionsOf(const ASTContext &C, const std::vector<Decl *> &Own) {
  Functions F(C);
  for (Decl *D : Own)
    F.traverse(D);
  return F.take();
}

} // namespace whyhot::ast
