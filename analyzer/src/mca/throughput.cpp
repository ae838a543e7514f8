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

// The instructions as the model has them; none where it lacks one.
class Lowered {
public:
  Lowered(const Processor &P, ArrayRef<MCInst> Instructions)
      : P(P), Analysis(P.T.createMCInstrAnalysis(P.MII.get())), Instruments(*P.STI, *P.MII),
        Builder(*P.STI, *P.MII, *P.MRI, Analysis.get(), Instruments, CallLatency) {
    if (!P.STI->getSchedModel().hasInstrSchedModel())
      return;
    for (const MCInst &I : Instructions) {
      auto L = P.MII->get(I.getOpcode()).isCall() ? nullptr : lower(I);
      if (!L) {
        Code.clear();
        return;
      }
      Code.push_back(std::move(L));
    }
  }

  bool empty() const { return Code.empty(); }
  ArrayRef<std::unique_ptr<llvm::mca::Instruction>> code() const { return Code; }

  // Cycles of as many passes.
  std::optional<unsigned> run(unsigned Passes) const {
    llvm::mca::CircularSourceMgr Loop(Code, Passes);
    llvm::mca::CustomBehaviour Behaviour(*P.STI, Loop, *P.MII);
    llvm::mca::Context Machine(*P.MRI, *P.STI);
    const llvm::mca::PipelineOptions Widths(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
    auto Run = Machine.createDefaultPipeline(Widths, Loop, Behaviour)->run();
    if (!Run) {
      consumeError(Run.takeError());
      return std::nullopt;
    }
    return *Run;
  }

private:
  std::unique_ptr<llvm::mca::Instruction> lower(const MCInst &I) {
    auto L = Builder.createInstruction(I, {});
    if (L)
      return std::move(*L);
    consumeError(L.takeError());
    return nullptr;
  }

  const Processor &P;
  std::unique_ptr<MCInstrAnalysis> Analysis;
  llvm::mca::InstrumentManager Instruments;
  llvm::mca::InstrBuilder Builder;
  std::vector<std::unique_ptr<llvm::mca::Instruction>> Code;
};

std::optional<double> model(const Processor &P, ArrayRef<MCInst> Instructions) {
  const Lowered L(P, Instructions);
  const auto Cycles = L.empty() ? std::nullopt : L.run(Repetitions);
  return Cycles ? std::optional(double(*Cycles) / Repetitions) : std::nullopt;
}

// The most that a pass can ask of one thing that the processor has.
struct Bound {
  double Cycles = 0;
  std::string By;
};

Bound boundOf(const Processor &P, const Lowered &L) {
  const MCSchedModel &SM = P.STI->getSchedModel();
  std::vector<double> Busy(SM.getNumProcResourceKinds());
  unsigned Operations = 0;
  for (const auto &I : L.code()) {
    Operations += I->getDesc().NumMicroOps;
    const MCSchedClassDesc *Class = SM.getSchedClassDesc(I->getDesc().SchedClassID);
    for (const MCWriteProcResEntry &E :
         make_range(P.STI->getWriteProcResBegin(Class), P.STI->getWriteProcResEnd(Class)))
      Busy[E.ProcResourceIdx] += E.ReleaseAtCycle;
  }
  Bound Out{1, "taken branch"};
  if (const double Width = double(Operations) / SM.IssueWidth; Width > Out.Cycles)
    Out = {Width, "dispatch"};
  for (unsigned N = 1; N < Busy.size(); ++N)
    if (const MCProcResourceDesc *R = SM.getProcResource(N); R->NumUnits > 0 && Busy[N] / R->NumUnits > Out.Cycles)
      Out = {Busy[N] / R->NumUnits, R->Name};
  return Out;
}

// Cycles of a pass in the middle of many: what the first ones wait for is left out.
std::optional<Estimate> estimate(const Processor &P, ArrayRef<MCInst> Instructions) {
  const Lowered L(P, Instructions);
  if (L.empty())
    return std::nullopt;
  const auto Some = L.run(Repetitions), More = L.run(2 * Repetitions);
  if (!Some || !More)
    return std::nullopt;
  const Bound Least = boundOf(P, L);
  const double Cycles = std::max(double(*More - *Some) / Repetitions, 1.0);
  constexpr double Slack = 1.1;
  return Estimate{Cycles, Cycles > Slack * Least.Cycles ? "dependencies" : Least.By};
}

} // namespace

std::map<std::string, Estimate> estimates(ArrayRef<MCInst> Loop, const Target &T, const Triple &Is,
                                          ArrayRef<std::string> Processors) {
  std::vector<std::string> On(Processors.begin(), Processors.end());
  if (On.empty())
    for (const char *CPU : processorsOf(Is))
      On.push_back(CPU);
  std::map<std::string, Estimate> Out;
  for (const std::string &CPU : On)
    if (auto E = estimate(Processor(T, Is, CPU, ""), Loop))
      Out[CPU] = *E;
  return Out;
}

bool hasModel(const Target &T, const Triple &Is, const std::string &CPU) {
  std::unique_ptr<MCSubtargetInfo> Known(T.createMCSubtargetInfo(Is.str(), "", ""));
  if (!Known->isCPUStringValid(CPU))
    return false;
  return Processor(T, Is, CPU, "").STI->getSchedModel().hasInstrSchedModel();
}

std::map<std::string, double> cycles(const std::string &Code, const TargetMachine &TM) {
  std::map<std::string, double> Out;
  for (const char *CPU : processorsOf(TM.getTargetTriple()))
    if (auto N = cyclesOn(CPU, Code, TM))
      Out[CPU] = *N;
  return Out;
}

} // namespace whyhot::mca
