// The rewriting's part of the wire form.
#pragma once

#include "protocol/protocol.h"

namespace whyhot::protocol {

llvm::Error parseFix(const llvm::json::Object &O, Request &R);
llvm::json::Value toJson(const fix::Answer &A);

} // namespace whyhot::protocol
