// Rules of the user: Clang AST-matcher expressions, run over the unit's own
// declarations.
#pragma once

#include "ast/match.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Preprocessor.h"

namespace whyhot::ast {

// Adds one match for every node that an expression matches. Bindings named
// "loop", "first", "write" and "second" fill the places of that name; a wrong
// expression is one error, and the other rules run all the same.
void runUserRules(clang::ASTContext &C, const std::vector<UserRule> &Rules, const std::vector<clang::Decl *> &Own,
                  const clang::Preprocessor &PP, const Options &O, Result &Out);

} // namespace whyhot::ast
