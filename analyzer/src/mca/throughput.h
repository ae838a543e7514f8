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

struct Estimate {
  double Cycles = 0;
  // What keeps a pass from taking less: "dependencies" (each pass waits for results of
  // the one before), "dispatch" (as many instructions as the processor takes in),
  // "taken branch" (one in a cycle), or the model's name of a unit that is always busy.
  std::string Limit;
};

// The same of a loop's instructions that were read from a binary. Without processors,
// on those above. A processor that lacks one of the instructions has no entry.
std::map<std::string, Estimate> estimates(llvm::ArrayRef<llvm::MCInst> Loop, const llvm::Target &T,
                                          const llvm::Triple &Is, llvm::ArrayRef<std::string> Processors);

bool hasModel(const llvm::Target &T, const llvm::Triple &Is, const std::string &Processor);

} // namespace whyhot::mca
