#include "ast/user_rules/user_rules.h"

#include "ast/report.h"

#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/Dynamic/Diagnostics.h"
#include "clang/ASTMatchers/Dynamic/Parser.h"

using namespace clang;
using namespace clang::ast_matchers;

namespace whyhot::ast {
namespace {

class Collect : public MatchFinder::MatchCallback {
public:
  Collect(std::string Id, Report &R) : Id(std::move(Id)), R(R) {}

  void run(const MatchFinder::MatchResult &Found) override {
    const auto &Nodes = Found.Nodes.getMap();
    auto Root = Nodes.find("root");
    if (Root == Nodes.end())
      return;
    Match M = R.in(RuleId::ofUser(Id), functionOf(*Found.Context, Root->second), nullptr, nullptr);
    M.Place = R.span(Root->second.getSourceRange());
    for (const auto &[Name, Node] : Nodes) {
      Span S = R.span(Node.getSourceRange());
      if (Name == "loop") {
        M.Place = S;
        M.InLoop = true;
      } else if (Name == "first") {
        M.First = S;
      } else if (Name == "write") {
        M.Write = S;
      } else if (Name == "second") {
        M.Second = S;
      } else if (Name != "root") {
        M.Notes.push_back(Name + ": " + S.Text + " at " + S.File + ":" + std::to_string(S.Line));
      }
    }
    M.Location = R.span(Root->second.getSourceRange()).Text;
    R.add(std::move(M), nullptr);
  }

private:
  // The function around a node, through its parents.
  static const FunctionDecl *functionOf(ASTContext &C, DynTypedNode Node) {
    for (unsigned Steps = 0; Steps < 1000; Steps++) {
      if (const auto *F = Node.get<FunctionDecl>())
        return F;
      auto Parents = C.getParents(Node);
      if (Parents.empty())
        return nullptr;
      Node = Parents[0];
    }
    return nullptr;
  }

  std::string Id;
  Report &R;
};

} // namespace

void runUserRules(ASTContext &C, const std::vector<UserRule> &Rules, const std::vector<Decl *> &Own,
                  const Preprocessor &PP, const Options &O, Result &Out) {
  if (Rules.empty())
    return;
  Report R(C, PP, O);
  MatchFinder Finder;
  std::vector<std::unique_ptr<Collect>> Callbacks;
  for (const UserRule &U : Rules) {
    dynamic::Diagnostics D;
    StringRef Text = U.Matcher;
    auto M = dynamic::Parser::parseMatcherExpression(Text, &D);
    if (!M) {
      Out.Errors.push_back(U.Id + ": " + D.toStringFull());
      continue;
    }
    Callbacks.push_back(std::make_unique<Collect>(U.Id, R));
    if (auto Bound = M->tryBind("root"); !Finder.addDynamicMatcher(Bound ? *Bound : *M, Callbacks.back().get()))
      Out.Errors.push_back(U.Id + ": the outermost matcher must match a declaration, a statement or a type");
  }
  C.setTraversalScope(Own);
  Finder.matchAST(C);
  C.setTraversalScope({C.getTranslationUnitDecl()});
  for (Match &M : R.take().Matches)
    Out.Matches.push_back(std::move(M));
}

} // namespace whyhot::ast
