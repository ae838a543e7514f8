// A callee's paths as its caller sees them: this and the parameters become what
// the call binds them to.
//
//   int Buffer::at(int i) { return data[i]; }      this · follow · .data · follow · [i]
//   b->at(n + 1)                                   b · follow · .data · follow · [n + 1]
#pragma once

#include "ast/facts/path.h"

#include <map>
#include <optional>

namespace whyhot::ast {

// One call. The arguments' paths are made once for all paths of the callee.
class InCaller {
public:
  InCaller(Paths &P, const clang::Expr *Call);
  Path of(const Path &Inner);

private:
  // The value that a root of the callee has; none where it means what it did.
  const std::optional<Path> &bound(const AccessPath &Inner);
  std::optional<Path> object();
  std::optional<Path> argument(const clang::ParmVarDecl *P);
  Path root(const Path &Inner);
  // An index or offset; Exact is cleared where it is not the same each time.
  const Term *term(const Term *Inner, bool &Exact);

  Paths &P;
  const clang::Expr *Call;
  const clang::FunctionDecl *Callee;
  std::map<const clang::VarDecl *, std::optional<Path>> Bound; // null is this
};

} // namespace whyhot::ast
