#include "ast/report.h"

#include "ast/facts/arguments.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/JSON.h"

using namespace clang;

namespace whyhot::ast {
namespace {

constexpr size_t MaxText = 100;
constexpr size_t MaxSites = 64;

// The declaration that gives a stored-to expression its type.
const ValueDecl *declarationOf(const Expr *E) {
  for (unsigned Steps = 0; E && Steps < 64; Steps++) {
    E = E->IgnoreParenCasts();
    if (const auto *FE = dyn_cast<FullExpr>(E))
      E = FE->getSubExpr();
    else if (const auto *MT = dyn_cast<MaterializeTemporaryExpr>(E))
      E = MT->getSubExpr();
    else if (const auto *DRE = dyn_cast<DeclRefExpr>(E))
      return DRE->getDecl();
    else if (const auto *ME = dyn_cast<MemberExpr>(E))
      return ME->getMemberDecl();
    else if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E))
      E = AS->getBase();
    else if (const auto *UO = dyn_cast<UnaryOperator>(E))
      E = UO->getSubExpr();
    else if (const auto *BO = dyn_cast<BinaryOperator>(E))
      E = BO->getLHS()->getType()->isPointerType() || BO->isAssignmentOp() ? BO->getLHS() : BO->getRHS();
    else if (const auto *Call = dyn_cast<CallExpr>(E))
      E = objectOf(Call);
    else
      return nullptr;
  }
  return nullptr;
}

const Expr *storedTo(const Expr *E) {
  if (const auto *BO = dyn_cast_or_null<BinaryOperator>(E))
    return BO->getLHS();
  if (const auto *UO = dyn_cast_or_null<UnaryOperator>(E))
    return UO->getSubExpr();
  return E;
}

} // namespace

std::string firstLine(StringRef Text) {
  bool Cut = Text.contains('\n');
  Text = Text.split('\n').first.rtrim();
  if (Text.size() > MaxText) {
    Text = Text.take_front(MaxText);
    Cut = true;
  }
  return llvm::json::fixUTF8(Text) + (Cut ? " …" : "");
}

bool Report::wants(RuleId Rule) const { return O.Rules.empty() || llvm::is_contained(O.Rules, Rule.str()); }

Span Report::span(SourceRange Range, bool WithText) const {
  const SourceManager &SM = C.getSourceManager();
  if (Range.isInvalid())
    return {};
  CharSourceRange Chars = SM.getExpansionRange(Range);
  PresumedLoc Begin = SM.getPresumedLoc(Chars.getBegin());
  if (Begin.isInvalid())
    return {};
  Span S;
  S.File = Begin.getFilename();
  S.Line = Begin.getLine();
  S.Column = Begin.getColumn();
  SourceLocation Last = Chars.getEnd();
  if (Chars.isTokenRange())
    Last = Lexer::getLocForEndOfToken(Last, 0, SM, C.getLangOpts());
  if (PresumedLoc End = SM.getPresumedLoc(Last); End.isValid()) {
    S.EndLine = End.getLine();
    S.EndColumn = End.getColumn();
  }
  if (WithText)
    S.Text = firstLine(Lexer::getSourceText(Chars, SM, C.getLangOpts()));
  return S;
}

Match Report::in(RuleId Rule, const FunctionDecl *F, const Loop *L, const Stmt *Else) const {
  Match M;
  M.Rule = Rule.str().str();
  if (F) {
    llvm::raw_string_ostream Name(M.Function);
    F->getNameForDiagnostic(Name, C.getPrintingPolicy(), true);
    M.Linkage = Names->getName(F);
  }
  M.InLoop = L != nullptr;
  M.Depth = L ? L->Depth : 0;
  M.Place = L ? span(L->Statement) : span(Else);
  return M;
}

Written Report::written(const Expr *Store) const {
  Written W;
  const Expr *To = storedTo(Store);
  if (!To)
    return W;
  if (const ValueDecl *D = declarationOf(To))
    W = declared(D);
  W.Type = spelled(To->getType());
  return W;
}

Written Report::declared(const ValueDecl *D) const {
  Written W;
  W.Type = spelled(D->getType());
  W.Declaration = D->getQualifiedNameAsString();
  W.Where = span(D->getSourceRange());
  const SourceManager &SM = C.getSourceManager();
  const bool InMain = SM.isInMainFile(SM.getExpansionLoc(D->getLocation()));
  if (SM.isInSystemHeader(D->getLocation()))
    W.Scope = "system";
  else if (const auto *V = dyn_cast<VarDecl>(D); V && V->isLocalVarDecl())
    W.Scope = "local";
  else if (const auto *P = dyn_cast<ParmVarDecl>(D))
    W.Scope = cast<Decl>(P->getDeclContext())->getAsFunction() &&
                      cast<Decl>(P->getDeclContext())->getAsFunction()->isExternallyVisible()
                  ? "project"
                  : "unit";
  else
    W.Scope = InMain && !(isa<VarDecl>(D) && D->isExternallyVisible()) ? "unit" : "project";
  return W;
}

// The type as it is written, with what it stands for.
std::string Report::spelled(QualType T) const {
  std::string Text = T.getUnqualifiedType().getAsString(C.getPrintingPolicy());
  const std::string Canonical = T.getCanonicalType().getUnqualifiedType().getAsString(C.getPrintingPolicy());
  return Canonical == Text ? Text : Text + " (" + Canonical + ")";
}

void Report::add(Match M, const FunctionDecl *F) {
  if (M.Place.Line == 0)
    return;
  std::string Key = M.Rule + "\n" + M.Place.File + "\n" + std::to_string(M.Place.Line) + ":" +
                    std::to_string(M.Place.Column) + "\n" + M.Location;
  if (!Seen.insert(Key).second)
    return;
  R.Matches.push_back(std::move(M));
  Functions.push_back(F);
}

void Report::eachOf(RuleId Rule, llvm::function_ref<void(Match &, const FunctionDecl *)> Change) {
  for (size_t I = 0; I < R.Matches.size(); I++)
    if (R.Matches[I].Rule == Rule.str() && Functions[I])
      Change(R.Matches[I], Functions[I]);
}

void Report::dropOf(RuleId Rule, llvm::function_ref<bool(const Match &, const FunctionDecl *)> Test) {
  size_t Kept = 0;
  for (size_t I = 0; I < R.Matches.size(); I++) {
    if (R.Matches[I].Rule == Rule.str() && Functions[I] && Test(R.Matches[I], Functions[I]))
      continue;
    if (Kept != I) {
      R.Matches[Kept] = std::move(R.Matches[I]);
      Functions[Kept] = Functions[I];
    }
    Kept++;
  }
  R.Matches.resize(Kept);
  Functions.resize(Kept);
}

void Report::addSites(const CallMap &Calls) {
  for (size_t I = 0; I < R.Matches.size(); I++)
    if (Functions[I])
      if (auto [It, New] = R.Sites.try_emplace(R.Matches[I].key()); New)
        It->second = sitesOf(Functions[I]->getCanonicalDecl(), Calls);
}

std::vector<Site> Report::sitesOf(const FunctionDecl *Callee, const CallMap &Calls) const {
  std::vector<Site> Sites;
  std::vector<const FunctionDecl *> Work{Callee};
  llvm::DenseSet<const FunctionDecl *> Done;
  while (!Work.empty() && Sites.size() < MaxSites) {
    const FunctionDecl *F = Work.back();
    Work.pop_back();
    auto It = Calls.find(F);
    if (!Done.insert(F).second || !isInlinable(F) || It == Calls.end())
      continue;
    for (const auto &[Call, Caller] : It->second) {
      Sites.push_back({span(Call->getSourceRange(), false), Caller->getQualifiedNameAsString()});
      Work.push_back(Caller->getCanonicalDecl());
    }
  }
  return Sites;
}

} // namespace whyhot::ast
