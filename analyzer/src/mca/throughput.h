// Cycles of a loop's machine code in LLVM's model of a processor.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Target/TargetMachine.h"

#include <map>
#include <string>

namespace whyhot::mca {

// Cycles of one pass through the code, by processor, when it is repeated. The
// processors are those that the code's own target covers: skylake,
// icelake-server, sapphirerapids and znver4 for x86-64, neoverse-n1,
// neoverse-v1 and neoverse-v2 for AArch64. The model sums all blocks, knows no
// caches and no store forwarding: it ranks, it does not predict. Code that it
// cannot read, or that calls, has no entry.
std::map<std::string, double> cycles(const std::string &Code, const llvm::TargetMachine &TM);

// The same of instructions that were read from a binary.
std::map<std::string, double> cycles(llvm::ArrayRef<llvm::MCInst> Loop, const llvm::Target &T, const llvm::Triple &Is,
                                     llvm::StringRef Features);

} // namespace whyhot::mca
