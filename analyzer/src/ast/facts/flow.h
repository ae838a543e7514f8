// Which memory a function reads again after a store that may have changed it:
// first access, char-like store, second access, in this order on some path with
// nothing in between that changes the location or forces the reload anyway.
#pragma once

#include "ast/facts/locals.h"
#include "ast/facts/loops.h"

namespace whyhot::ast {

struct Reload {
  Effect First;
  Effect Write;
  Effect Second;
};

struct FunctionFacts {
  const clang::FunctionDecl *Function;
  clang::ASTContext &Context;
  Callees &Known;
  const LoopNest &Loops;
};

// Is there a char-like store in the body at all? Most functions have none, and
// nothing more is done for them.
bool mayStoreChar(const FunctionFacts &F);

std::vector<Reload> findReloads(const FunctionFacts &F);

} // namespace whyhot::ast
