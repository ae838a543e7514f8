// The AST layer's part of the wire form.
#pragma once

#include "protocol/protocol.h"

namespace whyhot::protocol {

// Reads "layers", "ast_rules", "accessors" and "user_rules".
llvm::Error parseAst(const llvm::json::Object &O, Request &R);

// An array of strings under a key; an absent key is an empty one.
llvm::Error strings(const llvm::json::Object &O, llvm::StringRef Key, std::vector<std::string> &Out);

llvm::json::Array toJson(const std::vector<ast::Match> &Matches);
// The functions that hold a place which the reply names.
llvm::json::Array functionsIn(const Reply &R);
// What the locals of the loops that the reply names would be.
llvm::json::Array hoistsIn(const Reply &R);
llvm::json::Object toJson(const std::map<std::string, std::vector<ast::Site>> &Sites);

} // namespace whyhot::protocol
