// debug-stl: loops whose accesses to standard containers are checked, because a
// macro of the library's debug mode is defined.
#include "ast/report.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Lex/MacroInfo.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::ast {
namespace {

// From the strongest: the first that is defined is named.
const char *const Macros[] = {"_GLIBCXX_DEBUG", "_GLIBCXX_ASSERTIONS", "_LIBCPP_ENABLE_DEBUG_MODE",
                              "_LIBCPP_ENABLE_ASSERTIONS", "_ITERATOR_DEBUG_LEVEL"};

struct Mode {
  std::string Macro;
  std::string Where;
  bool Iterators = false; // iterators are checked too
};

std::optional<Mode> modeOf(const FunctionFacts &F, const Report &R) {
  for (const char *Name : Macros) {
    const MacroInfo *Info = R.PP.getMacroInfo(&F.Context.Idents.get(Name));
    if (!Info || (Info->getNumTokens() == 1 && R.PP.getSpelling(Info->getReplacementToken(0)) == "0"))
      continue;
    const SourceManager &SM = F.Context.getSourceManager();
    PresumedLoc At = SM.getPresumedLoc(Info->getDefinitionLoc());
    std::string Where = "on the command line";
    if (At.isValid() && At.getFilename()[0] != '<')
      Where = "at " + std::string(At.getFilename()) + ":" + std::to_string(At.getLine());
    return Mode{Name, std::move(Where), StringRef(Name).contains("DEBUG")};
  }
  return std::nullopt;
}

bool isChecked(const CXXMethodDecl *M, bool Iterators) {
  if (!M->getParent()->isInStdNamespace())
    return false;
  switch (M->getOverloadedOperator()) {
  case OO_Subscript:
    return true;
  case OO_Star:
  case OO_Arrow:
  case OO_PlusPlus:
    return Iterators;
  default:
    break;
  }
  return M->getIdentifier() &&
         llvm::StringSwitch<bool>(M->getName()).Cases("front", "back", "pop_back", true).Default(false);
}

void visit(const Stmt *S, const FunctionFacts &F, Report &R, const Mode &Is, std::set<const Loop *> &Reported) {
  if (!S || isa<LambdaExpr>(S))
    return;
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
    const Loop *L = F.Loops.of(Call).In;
    if (L && Method && isChecked(Method, Is.Iterators) && Reported.insert(L).second) {
      Match M = R.in("debug-stl", F.Function, L, Call);
      M.First = R.span(Call);
      M.Location = Is.Macro;
      M.Notes.push_back(Is.Macro + " is defined " + Is.Where);
      R.add(std::move(M), F.Function);
    }
  }
  for (const Stmt *Child : S->children())
    visit(Child, F, R, Is, Reported);
}

void inFunction(const FunctionFacts &F, Report &R) {
  if (!R.wants("debug-stl") || F.Loops.all().empty())
    return;
  std::set<const Loop *> Reported;
  if (std::optional<Mode> Is = modeOf(F, R))
    visit(F.Function->getBody(), F, R, *Is, Reported);
}

const Registered<Rule> DebugStlRule("debug-stl", {inFunction, nullptr});

} // namespace

} // namespace whyhot::ast
