// What the AST layer reports: one match of one rule, copied out of the AST so
// that it outlives it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace whyhot::ast {

// A range of source text. Line 0 means that there is none.
struct Span {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
  unsigned EndLine = 0;
  unsigned EndColumn = 0;
  std::string Text; // the first line of the source text, shortened
};

// A call of the matched function in this unit, direct or through other inline
// functions.
struct Site {
  Span Where;
  std::string Function;
};

// What is written and how far a change of its type would reach.
struct Written {
  std::string Type;
  std::string Declaration;
  Span Where;
  std::string Scope; // "local", "unit", "project", "system"
};

struct Match {
  std::string Rule;
  std::string Function; // qualified name
  std::string Linkage;
  Span Place; // the loop where there is one, else the second access
  bool InLoop = false;
  unsigned Depth = 0;
  // Store and load are both inside library functions, such as the growth of a
  // string: real, but seldom what the loop costs.
  bool Weak = false;
  Span First;
  Span Write;
  Span Second;
  Span Ends;            // where what was made is destroyed
  std::string Location; // the memory that is read again, as the source writes it
  Written Target;
  std::vector<std::string> Notes;
  const void *Subject = nullptr; // the rule's own, of the AST's lifetime

  // What Result::Sites has its calls under.
  const std::string &key() const { return Linkage.empty() ? Function : Linkage; }
};

// A rule of the user: a Clang AST-matcher expression.
struct UserRule {
  std::string Id;
  std::string Matcher;
};

struct Options {
  std::vector<std::string> Rules;     // none means all
  std::vector<std::string> Accessors; // of alias-loop-condition-name; none means the usual ones
  std::vector<UserRule> UserRules;
};

// A function as the source has it, and where its loops begin (line and column).
struct Function {
  std::string File;
  unsigned Line = 0;
  unsigned EndLine = 0;
  std::string Key; // one function's in the file, without line numbers
  std::vector<std::pair<unsigned, unsigned>> Loops;
};

// What the locals of a loop would be, by the analysis that the fix is written with.
struct Hoist {
  std::string File;
  unsigned Line = 0; // of the loop
  unsigned Column = 0;
  std::vector<std::string> Values; // as the source writes them; none where no local is shown to be right
  std::vector<std::string> Kept;   // what the loop changes and the fix writes back
  std::vector<std::pair<std::string, unsigned>> Updates; // what it changes besides, and on which line
  std::string Refusal;                                   // why there is none
  // Lines where it reads again what the fix leaves in memory, with the bytes of it, 0
  // where they are not known.
  std::set<std::pair<unsigned, unsigned>> Stays;
};

struct Result {
  std::vector<Match> Matches;
  std::vector<Function> Functions;
  std::vector<Hoist> Hoists;
  std::map<std::string, std::vector<Site>> Sites; // of the matched functions
  std::vector<std::string> Errors;                // of the user's rules
};

} // namespace whyhot::ast
