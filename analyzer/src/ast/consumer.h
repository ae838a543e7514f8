// The AST layer's door: a consumer that runs every rule over a unit.
#pragma once

#include "ast/facts/flow.h"
#include "ast/match.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

#include <functional>

namespace whyhot::ast {

// Is given every function that the rules look at. The AST layer knows no fixes; who
// makes the consumer does.
using Look = std::function<void(const FunctionFacts &F, std::vector<Hoist> &Out)>;

std::unique_ptr<clang::ASTConsumer> makeConsumer(clang::CompilerInstance &CI, const Options &O, Result &Out,
                                                 Look Also = nullptr);

} // namespace whyhot::ast
