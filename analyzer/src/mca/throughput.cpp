#include "mca/throughput.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/MCA/Context.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Pipeline.h"
#include "llvm/MCA/SourceMgr.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>

using namespace llvm;

namespace whyhot::mca {
namespace {

constexpr unsigned Repetitions = 100;
constexpr unsigned CallLatency = 100; // of the model; code with calls is not asked about

ArrayRef<const char *> processorsOf(const Triple &T) {
  static constexpr const char *X86[] = {"skylake", "icelake-server", "sapphirerapids", "znver4"};
  static constexpr const char *Arm[] = {"neoverse-n1", "neoverse-v1", "neoverse-v2"};
  if (T.getArch() == Triple::x86_64)
    return X86;
  if (T.getArch() == Triple::aarch64)
    return Arm;
  return {};
}

class Collect : public MCStreamer {
public:
  explicit Collect(MCContext &C) : MCStreamer(C) {}
  void emitInstruction(const MCInst &I, const MCSubtargetInfo &) override { Instructions.push_back(I); }
  bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override { return true; }
  void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {}
  void emitZerofill(MCSection *, MCSymbol *, uint64_t, Align, SMLoc) override {}
  std::vector<MCInst> Instructions;
};

// What LLVM knows of a processor.
struct Processor {
  Processor(const Target &T, const Triple &Is, StringRef CPU, StringRef Features)
      : T(T), Is(Is), MRI(T.createMCRegInfo(Is.str())), MAI(T.createMCAsmInfo(*MRI, Is.str(), MCTargetOptions())),
        STI(T.createMCSubtargetInfo(Is.str(), CPU, Features)), MII(T.createMCInstrInfo()) {}

  const Target &T;
  const Triple &Is;
  std::unique_ptr<MCRegisterInfo> MRI;
  std::unique_ptr<MCAsmInfo> MAI;
  std::unique_ptr<MCSubtargetInfo> STI;
  std::unique_ptr<MCInstrInfo> MII;
};

std::optional<double> model(const Processor &P, ArrayRef<MCInst> Instructions);

std::optional<double> cyclesOn(const char *CPU, const std::string &Code, const TargetMachine &TM) {
  // The unit's own features on top: its code may use what this processor lacks.
  const Processor P(TM.getTarget(), TM.getTargetTriple(), CPU, TM.getTargetFeatureString());
  const Target &T = P.T;
  const MCTargetOptions Options;
  const auto &MRI = P.MRI;
  const auto &MAI = P.MAI;
  const auto &STI = P.STI;
  const auto &MII = P.MII;
  llvm::SourceMgr Source;
  Source.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(Code, "loop"), SMLoc());
  Source.setDiagHandler([](const SMDiagnostic &, void *) {});
  MCContext Context(TM.getTargetTriple(), MAI.get(), MRI.get(), STI.get(), &Source);
  std::unique_ptr<MCObjectFileInfo> MOFI(T.createMCObjectFileInfo(Context, /*PIC=*/true));
  Context.setObjectFileInfo(MOFI.get());
  Collect Streamer(Context);
  T.createNullTargetStreamer(Streamer); // the streamer owns it
  std::unique_ptr<MCAsmParser> Parser(createMCAsmParser(Source, Context, Streamer, *MAI));
  std::unique_ptr<MCTargetAsmParser> TargetParser(T.createMCAsmParser(*STI, *Parser, *MII, Options));
  if (!TargetParser)
    return std::nullopt;
  Parser->setTargetParser(*TargetParser);
  if (Parser->Run(/*NoInitialTextSection=*/false))
    return std::nullopt;
  return model(P, Streamer.Instructions);
}

std::optional<double> model(const Processor &P, ArrayRef<MCInst> Instructions) {
  const Target &T = P.T;
  const auto &MRI = P.MRI;
  const auto &STI = P.STI;
  const auto &MII = P.MII;
  if (Instructions.empty() || !STI->getSchedModel().hasInstrSchedModel())
    return std::nullopt;
  std::unique_ptr<MCInstrAnalysis> Analysis(T.createMCInstrAnalysis(MII.get()));
  llvm::mca::InstrumentManager Instruments(*STI, *MII);
  llvm::mca::InstrBuilder Builder(*STI, *MII, *MRI, Analysis.get(), Instruments, CallLatency);
  std::vector<std::unique_ptr<llvm::mca::Instruction>> Lowered;
  for (const MCInst &I : Instructions) {
    if (MII->get(I.getOpcode()).isCall())
      return std::nullopt;
    auto L = Builder.createInstruction(I, {});
    if (!L) {
      consumeError(L.takeError());
      return std::nullopt;
    }
    Lowered.push_back(std::move(*L));
  }
  llvm::mca::CircularSourceMgr Loop(Lowered, Repetitions);
  llvm::mca::CustomBehaviour Behaviour(*STI, Loop, *MII);
  llvm::mca::Context Machine(*MRI, *STI);
  const llvm::mca::PipelineOptions Widths(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
  auto Run = Machine.createDefaultPipeline(Widths, Loop, Behaviour)->run();
  if (!Run) {
    consumeError(Run.takeError());
    return std::nullopt;
  }
  return double(*Run) / Repetitions;
}

} // namespace

std::map<std::string, double> cycles(ArrayRef<MCInst> Loop, const Target &T, const Triple &Is, StringRef Features) {
  std::map<std::string, double> Out;
  for (const char *CPU : processorsOf(Is))
    if (auto N = model(Processor(T, Is, CPU, Features), Loop))
      Out[CPU] = *N;
  return Out;
}

std::map<std::string, double> cycles(const std::string &Code, const TargetMachine &TM) {
  std::map<std::string, double> Out;
  for (const char *CPU : processorsOf(TM.getTargetTriple()))
    if (auto N = cyclesOn(CPU, Code, TM))
      Out[CPU] = *N;
  return Out;
}

} // namespace whyhot::mca
