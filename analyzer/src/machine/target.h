// LLVM's machine-code library for one kind of processor.
#pragma once

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <string>

namespace whyhot::machine {

// What reads and prints instructions. Every extension of the processor is on: a
// binary may choose at run time.
struct Target {
  llvm::Triple Triple;
  const llvm::Target *LLVM = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> Assembler;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Disassembler;
  std::unique_ptr<llvm::MCInstrAnalysis> Analysis;
  std::unique_ptr<llvm::MCInstPrinter> Printer; // the syntax of perf annotate and objdump
  std::unique_ptr<llvm::MCInstPrinter> Sizes;   // of x86: a syntax that names the size of accesses

  static llvm::Expected<std::unique_ptr<Target>> make(const llvm::Triple &T);
};

} // namespace whyhot::machine
