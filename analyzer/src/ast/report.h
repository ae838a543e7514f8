// Collects matches: turns AST nodes into source ranges and names, and keeps one
// match for the many instantiations of one template.
#pragma once

#include "ast/match.h"

#include "ast/facts/call_graph.h"
#include "ast/facts/flow.h"
#include "ast/facts/threads.h"
#include "registered.h"
#include "rule_id.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Mangle.h"
#include "clang/Lex/Preprocessor.h"

#include <set>

namespace whyhot::ast {

// Where each function is called, and in which function.
using CallMap = llvm::DenseMap<const clang::FunctionDecl *,
                               std::vector<std::pair<const clang::Stmt *, const clang::FunctionDecl *>>>;

class Report {
public:
  Report(clang::ASTContext &C, const clang::Preprocessor &PP, const Options &O)
      : PP(PP), O(O), C(C), Names(std::make_unique<clang::ASTNameGenerator>(C)) {}

  bool wants(RuleId Rule) const;
  Span span(clang::SourceRange R, bool WithText = true) const;
  Span span(const clang::Stmt *S) const { return S ? span(S->getSourceRange()) : Span(); }
  // A match in a loop (null: none), its place and function filled in.
  Match in(RuleId Rule, const clang::FunctionDecl *F, const Loop *L, const clang::Stmt *Else) const;
  Written written(const clang::Expr *Store) const;
  Written declared(const clang::ValueDecl *D) const;
  // Keeps the match unless the same one is there already.
  void add(Match M, const clang::FunctionDecl *F);
  // Adds the calls of the matched functions, once all are known.
  void addSites(const CallMap &Calls);
  // Calls Change with the matches of a rule and the functions they are in.
  void eachOf(RuleId Rule, llvm::function_ref<void(Match &, const clang::FunctionDecl *)> Change);
  // Takes out the matches of a rule for which Test holds.
  void dropOf(RuleId Rule, llvm::function_ref<bool(const Match &, const clang::FunctionDecl *)> Test);
  Result take() { return std::move(R); }

  const clang::Preprocessor &PP;
  const Options &O;
  ThreadFacts Threads; // complete when a rule's Unit is called
  CallGraph Calls;     // so is this

private:
  std::string spelled(clang::QualType T) const;
  std::vector<Site> sitesOf(const clang::FunctionDecl *Callee, const CallMap &Calls) const;

  clang::ASTContext &C;
  std::unique_ptr<clang::ASTNameGenerator> Names;
  Result R;
  std::vector<const clang::FunctionDecl *> Functions; // of each match
  std::set<std::string> Seen;
};

// The first line of a source text, shortened.
std::string firstLine(llvm::StringRef Text);

// What a rule looks at: every function with a body, then the unit. A rule is a
// Registered<Rule> in a file of its own.
struct Rule {
  void (*Function)(const FunctionFacts &F, Report &R);
  void (*Unit)(clang::ASTContext &C, Report &R);
};

} // namespace whyhot::ast
