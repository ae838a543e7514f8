#include "machine/target.h"

#include "llvm/MC/MCTargetOptions.h"

using namespace llvm;

namespace whyhot::machine {

Expected<std::unique_ptr<Target>> Target::make(const llvm::Triple &T) {
  if (T.getArch() != llvm::Triple::x86_64 && T.getArch() != llvm::Triple::aarch64)
    return createStringError("no machine code of %s is read, only of x86-64 and AArch64",
                             T.getArchName().str().c_str());
  auto Out = std::make_unique<Target>();
  Out->Triple = T;
  std::string Problem;
  Out->LLVM = TargetRegistry::lookupTarget(T.str(), Problem);
  if (!Out->LLVM)
    return createStringError("%s", Problem.c_str());
  const bool X86 = T.getArch() == llvm::Triple::x86_64;
  const MCTargetOptions Options;
  Out->Registers.reset(Out->LLVM->createMCRegInfo(T.str()));
  Out->Assembler.reset(Out->LLVM->createMCAsmInfo(*Out->Registers, T.str(), Options));
  Out->Subtarget.reset(Out->LLVM->createMCSubtargetInfo(T.str(), X86 ? "x86-64" : "", X86 ? "" : "+all"));
  Out->Instructions.reset(Out->LLVM->createMCInstrInfo());
  Out->Context = std::make_unique<MCContext>(T, Out->Assembler.get(), Out->Registers.get(), Out->Subtarget.get());
  Out->Disassembler.reset(Out->LLVM->createMCDisassembler(*Out->Subtarget, *Out->Context));
  Out->Analysis.reset(Out->LLVM->createMCInstrAnalysis(Out->Instructions.get()));
  Out->Printer.reset(Out->LLVM->createMCInstPrinter(T, 0, *Out->Assembler, *Out->Instructions, *Out->Registers));
  if (X86)
    Out->Sizes.reset(Out->LLVM->createMCInstPrinter(T, 1, *Out->Assembler, *Out->Instructions, *Out->Registers));
  if (!Out->Disassembler || !Out->Printer || !Out->Analysis)
    return createStringError("LLVM has no disassembler for %s", T.str().c_str());
  Out->Printer->setPrintImmHex(true);
  Out->Printer->setPrintBranchImmAsAddress(true);
  return Out;
}

} // namespace whyhot::machine
