// bitfield-flag: bit-fields of shared objects tested or updated in a loop. Every
// update reads and writes the whole word, and clobbers everything in reach.
#include "ast/report.h"

#include "ast/facts/types.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::ast {
namespace {

bool isForThreads(QualType T) {
  if (T->isAtomicType() || T.isVolatileQualified())
    return true;
  const auto *RD = T->getAsCXXRecordDecl();
  if (!RD || !RD->getIdentifier() || !RD->isInStdNamespace())
    return T.getAsString().find("pthread_") != std::string::npos;
  return llvm::StringSwitch<bool>(RD->getName())
      .Cases("atomic", "mutex", "shared_mutex", "recursive_mutex", "condition_variable", "atomic_flag", true)
      .Default(false);
}

class Walker {
public:
  Walker(const FunctionFacts &F, Report &R) : F(F), R(R) {}

  void visit(const Stmt *S) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const Expr *To = writtenBy(S))
      use(cast<Expr>(S), To, true);
    else if (const auto *CE = dyn_cast<ImplicitCastExpr>(S); CE && CE->getCastKind() == CK_LValueToRValue)
      use(CE, CE->getSubExpr(), false);
    for (const Stmt *Child : S->children())
      visit(Child);
  }

private:
  void use(const Expr *Site, const Expr *LValue, bool Update) {
    const Loop *L = F.Loops.of(Site).In;
    const FieldDecl *FD = L ? bitFieldOf(LValue) : nullptr;
    if (!FD || !isInMemory(cast<MemberExpr>(LValue->IgnoreParens())))
      return;
    if (!Reported.insert({L, FD, Update}).second)
      return;
    Match M = R.in("bitfield-flag", F.Function, L, Site);
    (Update ? M.Write : M.First) = R.span(Site);
    M.Location = FD->getQualifiedNameAsString() + (Update ? " updated" : " tested");
    M.Target = {FD->getType().getAsString(F.Context.getPrintingPolicy()), FD->getQualifiedNameAsString(),
                R.span(FD->getSourceRange()), "project"};
    neighbours(FD, M);
    M.Subject = FD->getCanonicalDecl();
    R.add(std::move(M), F.Function);
  }

  // A struct in a register has no word in memory to read and write back.
  bool isInMemory(const MemberExpr *ME) {
    if (!Own)
      Own.emplace(F.Function, F.Known);
    return Own->isShared(F.Known.effects().paths().lvalue(ME));
  }

  // The other fields of the word, how wide it is, and whether the struct looks
  // shared.
  void neighbours(const FieldDecl *FD, Match &M) const {
    const ASTRecordLayout &Layout = F.Context.getASTRecordLayout(FD->getParent());
    const std::vector<const FieldDecl *> Run = runOf(FD);
    std::string Others;
    for (const FieldDecl *Other : Run)
      if (Other != FD && Other->getDeclName())
        Others += (Others.empty() ? "" : ", ") + Other->getNameAsString();
    if (Others.empty())
      return;
    const FieldDecl *Last = Run.back();
    const uint64_t Bits = Layout.getFieldOffset(Last->getFieldIndex()) + Last->getBitWidthValue(F.Context) -
                          Layout.getFieldOffset(Run.front()->getFieldIndex());
    M.Notes.push_back("the word is shared with " + Others + ": " + std::to_string(Bits) + " bits, of which it has " +
                      std::to_string(FD->getBitWidthValue(F.Context)) + ", are loaded" +
                      (M.Write.Line ? ", merged and stored" : "") + " together");
    if (llvm::any_of(FD->getParent()->fields(), [](const FieldDecl *X) { return isForThreads(X->getType()); }))
      M.Notes.push_back("the struct looks shared between threads: an update here writes the other thread's bits back");
  }

  const FunctionFacts &F;
  Report &R;
  std::optional<Locals> Own;
  std::set<std::tuple<const Loop *, const FieldDecl *, bool>> Reported;
};

void inFunction(const FunctionFacts &F, Report &R) {
  if (R.wants("bitfield-flag") && !F.Loops.all().empty())
    Walker(F, R).visit(F.Function->getBody());
}

// Once the whole unit is known: who else writes the word?
void inUnit(ASTContext &, Report &R) {
  R.eachOf("bitfield-flag", [&R](Match &M, const FunctionDecl *F) {
    const auto *FD = static_cast<const FieldDecl *>(M.Subject);
    if (auto Other = R.Threads.elsewhere(FD, F))
      M.Notes.push_back(Other->In->getQualifiedNameAsString() + " updates " + Other->Field->getNameAsString() +
                        " of the same word in another thread: the two updates undo each other, a data race");
  });
}

const Registered<Rule> BitfieldFlagRule("bitfield-flag", {inFunction, inUnit});

} // namespace

} // namespace whyhot::ast
