// A value that would be read once: what reading it reads.
#pragma once

#include "ast/facts/flow.h"

#include <optional>
#include <string>
#include <vector>

namespace whyhot::fix {

// One value that would be read once.
struct Value {
  std::vector<ast::Effect> Reads;
  const clang::CXXRecordDecl *Owner = nullptr; // class of the object that keeps it
  std::string Text;
};

// The pure value of an expression: what it reads. None where it does anything
// else, or calls what is not seen.
std::optional<std::vector<ast::Effect>> readsOf(const clang::Expr *E, const ast::FunctionFacts &F);

// The class of the object that a member or an accessor belongs to.
const clang::CXXRecordDecl *ownerOf(const clang::Expr *E);

} // namespace whyhot::fix
