#include "fix/kinds.h"

using namespace clang;

namespace whyhot::fix {

static void both(std::vector<std::string> &These, const std::vector<std::string> &Others) {
  llvm::erase_if(These, [&](const std::string &X) { return !llvm::is_contained(Others, X); });
}

void Advisor::look(const ast::FunctionFacts &F, std::vector<ast::Hoist> &Out) {
  if (F.Loops.all().empty() || !ast::mayStoreChar(F))
    return;
  const Source S(F.Context, CI.getPreprocessor());
  const Request Anywhere;
  const Context Here{S, Anywhere, F.Known, StrictAliasing};
  for (const auto &L : F.Loops.all()) {
    const PresumedLoc At = S.SM.getPresumedLoc(S.SM.getExpansionLoc(L->Statement->getBeginLoc()));
    if (At.isInvalid() || S.SM.isInSystemHeader(L->Statement->getBeginLoc()))
      continue;
    Answer One;
    hoist(F, Here, *L, One);
    const bool Right = One.Refusals.empty();
    auto [It, New] = Seen.try_emplace({At.getFilename(), At.getLine(), At.getColumn()}, Out.size());
    if (New) {
      Out.push_back({At.getFilename(), At.getLine(), At.getColumn(), {}, {}, {}, {}, {}});
      Out.back().Stays = One.Stays;
      for (const Answer::Update &U : One.Updates)
        Out.back().Updates.push_back({U.Text, U.Line});
      if (Right)
        Out.back().Values = One.Values, Out.back().Kept = One.Kept;
      else
        Out.back().Refusal = One.Refusals.front().Text;
      continue;
    }
    // What is right in one instantiation alone is not right in the source.
    ast::Hoist &X = Out[It->second];
    X.Stays.insert(One.Stays.begin(), One.Stays.end());
    if (!Right)
      X.Values.clear(), X.Kept.clear(), X.Refusal = One.Refusals.front().Text;
    else
      both(X.Values, One.Values), both(X.Kept, One.Kept);
    if (X.Values.empty() && X.Kept.empty() && X.Refusal.empty())
      X.Refusal = "the instantiations of this template would need different edits";
  }
}

} // namespace whyhot::fix
