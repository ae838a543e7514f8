// The kinds of fixes. Each looks at one function, or at the unit, and fills the
// answer when what it fixes is at the place.
#pragma once

#include "ast/facts/flow.h"
#include "fix/source.h"

namespace whyhot::fix {

struct Context {
  const Source &S;
  const Request &Asked;
  ast::Callees &Known;
  bool StrictAliasing;
};

// The loop that begins on the line, else the innermost around it.
const ast::Loop *loopAt(const ast::LoopNest &Nest, const Context &C);

void hoist(const ast::FunctionFacts &F, const Context &C, Answer &Out);
// The same for a loop that is known already.
void hoist(const ast::FunctionFacts &F, const Context &C, const ast::Loop &L, Answer &Out);
void wideStore(const ast::FunctionFacts &F, const Context &C, Answer &Out);
void retype(const ast::FunctionFacts &F, const Context &C, Answer &Out);
void wholeCopy(const ast::FunctionFacts &F, const Context &C, Answer &Out);
// Of the functions around the place, and of the whole unit.
void vectorBool(const std::vector<const clang::FunctionDecl *> &Around, clang::ASTContext &C, const Context &K,
                Answer &Out);
// What the answer is about where the unit's language has no char8_t.
inline constexpr const char *NoChar8 = "no char8_t";
void bitField(const ast::FunctionFacts &F, const Context &C, Answer &Out);
// The bit-field that is declared on the line, for units that only use it.
void bitFieldAt(clang::ASTContext &C, const Context &K, Answer &Out);

} // namespace whyhot::fix
