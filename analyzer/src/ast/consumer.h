// The AST layer's door: a consumer that runs every rule over a unit.
#pragma once

#include "ast/match.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

namespace whyhot::ast {

std::unique_ptr<clang::ASTConsumer> makeConsumer(clang::CompilerInstance &CI, const Options &O, Result &Out);

} // namespace whyhot::ast
