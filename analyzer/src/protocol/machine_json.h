// The wire form of questions about machine code.
#pragma once

#include "protocol/protocol.h"

namespace whyhot::protocol {

llvm::Error parseMachine(const llvm::json::Object &O, Request &R);
llvm::json::Value toJson(const machine::Answer &A);

} // namespace whyhot::protocol
