#include "machine/code.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace whyhot::machine {
namespace {

constexpr unsigned MemoryOperands = 5; // of x86: base, scale, index, offset, segment

// The bytes of an access, from the words before its bracket: "dword ptr [rax]".
unsigned bytesOf(const Target &T, const Instruction &I) {
  if (!T.Sizes)
    return 0;
  SmallString<64> Text;
  raw_svector_ostream OS(Text);
  T.Sizes->printInst(&I.Inst, I.Address, "", *T.Subtarget, OS);
  const StringRef Before = Text.str().take_front(Text.str().find(" ptr "));
  if (Before.size() == Text.size())
    return 0;
  const StringRef Word = Before.substr(Before.find_last_of(" \t,") + 1);
  struct Named {
    StringRef Word;
    unsigned Bytes;
  };
  static constexpr Named Words[] = {{"byte", 1},   {"word", 2},     {"dword", 4},    {"qword", 8},    {"tbyte", 10},
                                    {"xword", 10}, {"xmmword", 16}, {"ymmword", 32}, {"zmmword", 64}, {"opaque", 0}};
  for (const Named &N : Words)
    if (N.Word == Word)
      return N.Bytes;
  return 0;
}

std::optional<Memory> memoryOf(const Target &T, const Instruction &I) {
  if (T.Triple.getArch() != Triple::x86_64)
    return std::nullopt;
  const ArrayRef<MCOperandInfo> Operands = I.Desc->operands();
  for (unsigned N = 0; N + MemoryOperands <= I.Inst.getNumOperands() && N + MemoryOperands <= Operands.size(); ++N) {
    // An address that is only computed is no memory to LLVM.
    if (Operands[N].OperandType != MCOI::OPERAND_MEMORY && !(N == 1 && I.Name.starts_with("LEA")))
      continue;
    const MCOperand &Base = I.Inst.getOperand(N), &Scale = I.Inst.getOperand(N + 1), &Index = I.Inst.getOperand(N + 2),
                    &Offset = I.Inst.getOperand(N + 3), &Segment = I.Inst.getOperand(N + 4);
    if (!Base.isReg() || !Scale.isImm() || !Index.isReg() || !Offset.isImm() || !Segment.isReg())
      return std::nullopt; // a string instruction
    return Memory{Base.getReg(), Index.getReg(), Segment.getReg(), Scale.getImm(), Offset.getImm(), 0};
  }
  return std::nullopt;
}

bool isPrefix(const Instruction &I) { return !I.Bad && I.Name.ends_with("_PREFIX"); }

std::string wordOf(const Instruction &Prefix) {
  return Prefix.Name == "LOCK_PREFIX"    ? "lock"
         : Prefix.Name == "REP_PREFIX"   ? "rep"
         : Prefix.Name == "REPNE_PREFIX" ? "repne"
                                         : "";
}

void describe(const Target &T, Instruction &I) {
  I.Desc = &T.Instructions->get(I.Inst.getOpcode());
  I.Name = T.Instructions->getName(I.Inst.getOpcode());
  I.Call = T.Analysis->isCall(I.Inst);
  I.Return = T.Analysis->isReturn(I.Inst);
  I.Branch = T.Analysis->isBranch(I.Inst) && !I.Call;
  I.Conditional = I.Branch && T.Analysis->isConditionalBranch(I.Inst);
  I.At = memoryOf(T, I);
  if (I.At) {
    I.At->Bytes = bytesOf(T, I);
    I.IsRelative = I.At->Base && StringRef(T.Registers->getName(I.At->Base)) == "RIP";
  }
  uint64_t Target = 0;
  if ((I.Branch || I.Call) && T.Analysis->evaluateBranch(I.Inst, I.Address, I.Size, Target))
    I.Jumps = Target;
}

// mov %rsp,%rbp, or lea 0x40(%rsp),%rbp.
bool pointsIntoFrame(const Target &T, const Instruction &I) {
  const auto is = [&](unsigned N, StringRef Name) {
    return I.Inst.getOperand(N).isReg() && T.Registers->getName(I.Inst.getOperand(N).getReg()) == Name;
  };
  return (I.Name.starts_with("MOV64rr") || I.Name == "LEA64r") && is(0, "RBP") && is(1, "RSP");
}

} // namespace

Slow Instruction::slow() const {
  if (Bad)
    return Slow::No;
  if (locked() || Name.starts_with("MFENCE") || Name.starts_with("CAS") || Name.starts_with("LDADD") ||
      Name.starts_with("SWP"))
    return Slow::Atomic;
  if (Name.contains("DIV") || Name.contains("SQRT"))
    return Slow::Divide;
  if (loads() && !Call && !Return)
    return Slow::Load;
  return Slow::No;
}

bool Instruction::locked() const { return Prefix == "lock" || (Name.starts_with("XCHG") && At); }

bool Instruction::repeats() const {
  constexpr unsigned Repeat = 4 | 8; // LLVM's flags of the prefixes F2 and F3
  return Name.starts_with("REP_") || Prefix == "rep" || (Inst.getFlags() & Repeat) != 0;
}

void Block::printAsOperand(raw_ostream &OS, bool) const { OS << "block " << Number; }

std::ptrdiff_t Function::find(uint64_t Address) const {
  auto It = lower_bound(Code, Address, [](const Instruction &I, uint64_t A) { return I.Address < A; });
  return It != Code.end() && It->Address == Address ? It - Code.begin() : -1;
}

Function decode(const Image &Im, const Target &T, uint64_t Low, uint64_t High) {
  Function F;
  F.Low = Low;
  F.High = High;
  ArrayRef<uint8_t> Bytes = Im.at(Low);
  Bytes = Bytes.take_front(std::min<uint64_t>(Bytes.size(), High - Low));
  const uint64_t Step = T.Triple.getArch() == Triple::aarch64 ? 4 : 1;
  for (uint64_t At = Low; !Bytes.empty();) {
    Instruction I;
    I.Address = At;
    uint64_t Size = 0;
    if (T.Disassembler->getInstruction(I.Inst, Size, Bytes, At, nulls()) == MCDisassembler::Fail || Size == 0 ||
        Size > Bytes.size()) {
      Size = std::min<uint64_t>(Step, Bytes.size());
      I.Bad = true;
      I.Inst = MCInst();
    }
    I.Size = unsigned(Size);
    At += Size;
    Bytes = Bytes.drop_front(Size);
    if (!I.Bad)
      describe(T, I);
    if (!F.Code.empty() && F.Code.back().end() == I.Address && isPrefix(F.Code.back()) && !I.Bad) {
      const Instruction &P = F.Code.back();
      I.Prefix = P.Prefix.empty() ? wordOf(P) : P.Prefix;
      I.Size += P.Size;
      I.Address = P.Address;
      F.Code.back() = std::move(I);
      continue;
    }
    F.Code.push_back(std::move(I));
  }
  F.HasFramePointer = any_of(F.Code, [&](const Instruction &I) { return pointsIntoFrame(T, I); });
  return F;
}

bool writes(const Instruction &I, MCRegister R, const MCRegisterInfo &MRI) {
  if (I.Bad || !R)
    return false;
  for (unsigned N = 0; N < I.Desc->getNumDefs() && N < I.Inst.getNumOperands(); ++N)
    if (I.Inst.getOperand(N).isReg() && I.Inst.getOperand(N).getReg() &&
        MRI.regsOverlap(I.Inst.getOperand(N).getReg(), R))
      return true;
  return any_of(I.Desc->implicit_defs(), [&](MCPhysReg D) { return MRI.regsOverlap(D, R); });
}

bool reads(const Instruction &I, MCRegister R, const MCRegisterInfo &MRI) {
  if (I.Bad || !R)
    return false;
  for (unsigned N = I.Desc->getNumDefs(); N < I.Inst.getNumOperands(); ++N)
    if (I.Inst.getOperand(N).isReg() && I.Inst.getOperand(N).getReg() &&
        MRI.regsOverlap(I.Inst.getOperand(N).getReg(), R))
      return true;
  return any_of(I.Desc->implicit_uses(), [&](MCPhysReg D) { return MRI.regsOverlap(D, R); });
}

} // namespace whyhot::machine
