// The wire form of a compiler's record.
#pragma once

#include "protocol/protocol.h"

namespace whyhot::protocol {

llvm::json::Value toJson(const records::Answer &A);

} // namespace whyhot::protocol
