#include "machine/jump_table.h"

#include "llvm/Support/Endian.h"

#include <algorithm>

using namespace llvm;

namespace whyhot::machine {
namespace {

constexpr size_t MostEntries = 4096;
constexpr size_t LookBack = 40; // instructions before the jump

// Reads the code before a jump, from the jump backwards.
class Reader {
public:
  Reader(const Function &F, size_t At, Image &Im, const Target &T) : F(F), At(At), Im(Im), T(T) {}

  Jump run() {
    const Instruction &J = F.Code[At];
    if (J.At)
      return absolute(J, At);
    const MCRegister R = operand(J, 0);
    if (!R)
      return {};
    const std::ptrdiff_t Def = before(At, R);
    if (Def < 0)
      return {};
    const Instruction &D = F.Code[Def];
    if (D.Name == "MOV64rm" && D.At)
      return absolute(D, size_t(Def));
    if (D.Name == "ADD64rr" || D.Name == "ADD64rr_REV")
      return relative(D, size_t(Def));
    return {};
  }

private:
  static MCRegister operand(const Instruction &I, unsigned N) {
    return N < I.Inst.getNumOperands() && I.Inst.getOperand(N).isReg() ? MCRegister(I.Inst.getOperand(N).getReg())
                                                                       : MCRegister();
  }

  // The last instruction before an index that writes a register.
  std::ptrdiff_t before(size_t From, MCRegister R) const {
    for (size_t N = From; N > 0 && From - N < LookBack; --N)
      if (writes(F.Code[N - 1], R, *T.Registers))
        return std::ptrdiff_t(N - 1);
    return -1;
  }

  static std::optional<uint64_t> constantOf(const Instruction &I) {
    if (I.Name == "LEA64r" && I.At && !I.At->Index) {
      if (I.IsRelative)
        return I.end() + uint64_t(I.At->Offset);
      return std::nullopt;
    }
    if ((I.Name == "MOV64ri" || I.Name == "MOV64ri32" || I.Name == "MOV32ri" || I.Name == "MOV32ri_alt") &&
        I.Inst.getNumOperands() > 1 && I.Inst.getOperand(1).isImm())
      return uint64_t(I.Inst.getOperand(1).getImm());
    return std::nullopt;
  }

  // The address that a register holds: what was last written to it or, since a
  // compiler loads the address of a table long before, the one address that the
  // function ever gives it.
  std::optional<uint64_t> valueOf(MCRegister R, size_t From) const {
    if (const std::ptrdiff_t D = before(From, R); D >= 0)
      if (auto V = constantOf(F.Code[D]))
        return V;
    std::optional<uint64_t> Only;
    for (const Instruction &I : F.Code) {
      if (I.Bad || !writes(I, R, *T.Registers))
        continue;
      const auto V = constantOf(I);
      if (!V || !Im.at(*V).data())
        continue;
      if (Only && *Only != *V)
        return std::nullopt;
      Only = V;
    }
    return Only;
  }

  // The table holds addresses: *T(,%rax,8).
  Jump absolute(const Instruction &I, size_t Index) const {
    Jump Out;
    if (!I.At->Index && !I.IsRelative) {
      Out.Leaves = true; // a virtual function, as the last thing
      return Out;
    }
    if (!I.At->Index) {
      Out.Leaves = true; // through the table of imported functions
      return Out;
    }
    if (I.At->Scale != 8)
      return Out;
    uint64_t Table = uint64_t(I.At->Offset);
    if (I.At->Base) {
      const auto Base = valueOf(I.At->Base, Index);
      if (!Base)
        return Out;
      Table += *Base;
    }
    for (size_t N = 0; N < limit(Index); ++N) {
      const auto P = Im.pointerAt(Table + 8 * N);
      if (!P || F.find(*P) < 0 || (N > 0 && isTable(Table + 8 * N)))
        break;
      Out.Targets.push_back(*P);
    }
    return Out;
  }

  // The table holds distances from itself.
  Jump relative(const Instruction &Add, size_t Index) const {
    Jump Out;
    for (unsigned N = 1; N <= 2; ++N) {
      const MCRegister Entry = operand(Add, N), Other = operand(Add, 3 - N);
      const std::ptrdiff_t Load = Entry ? before(Index, Entry) : -1;
      if (Load < 0 || !Other || F.Code[Load].Name != "MOVSX64rm32" || !F.Code[Load].At || F.Code[Load].At->Scale != 4)
        continue;
      const auto From = valueOf(Other, Index);
      auto Table = F.Code[Load].At->Base ? valueOf(F.Code[Load].At->Base, size_t(Load)) : std::optional<uint64_t>(0);
      if (!From || !Table)
        continue;
      *Table += uint64_t(F.Code[Load].At->Offset);
      for (size_t E = 0; E < limit(size_t(Load)); ++E) {
        const ArrayRef<uint8_t> Bytes = Im.at(*Table + 4 * E);
        if (Bytes.size() < 4 || (E > 0 && isTable(*Table + 4 * E)))
          break;
        const uint64_t To = *From + uint64_t(int64_t(int32_t(support::endian::read32le(Bytes.data()))));
        if (F.find(To) < 0)
          break;
        Out.Targets.push_back(To);
      }
      return Out;
    }
    return Out;
  }

  // Does the function use an address as that of something else?
  bool isTable(uint64_t Address) const {
    return any_of(F.Code,
                  [&](const Instruction &I) { return !I.Bad && I.Name == "LEA64r" && constantOf(I) == Address; });
  }

  // How many entries a comparison before the jump lets through: cmp $N; ja.
  size_t limit(size_t Index) const {
    for (size_t N = Index; N > 0 && Index - N < LookBack; --N) {
      const Instruction &I = F.Code[N - 1];
      if (I.Bad || I.Call || I.Return)
        break;
      if (!I.Name.starts_with("CMP") || N >= F.Code.size())
        continue;
      const Instruction &J = F.Code[N];
      if (!J.Conditional || J.Inst.getNumOperands() < 2 || !I.Inst.getNumOperands())
        continue;
      const MCOperand &Last = I.Inst.getOperand(I.Inst.getNumOperands() - 1), &Code = J.Inst.getOperand(1);
      constexpr int64_t Above = 7, AboveOrEqual = 3; // the numbers of x86's conditions
      if (!Last.isImm() || !Code.isImm() || Last.getImm() < 0)
        continue;
      if (Code.getImm() == Above)
        return std::min<size_t>(size_t(Last.getImm()) + 1, MostEntries);
      if (Code.getImm() == AboveOrEqual)
        return std::min<size_t>(size_t(Last.getImm()), MostEntries);
    }
    return MostEntries;
  }

  const Function &F;
  size_t At;
  Image &Im;
  const Target &T;
};

} // namespace

Jump targetsOf(const Function &F, size_t At, Image &I, const Target &T) {
  if (T.Triple.getArch() != Triple::x86_64)
    return {};
  Jump Out = Reader(F, At, I, T).run();
  llvm::sort(Out.Targets);
  Out.Targets.erase(std::unique(Out.Targets.begin(), Out.Targets.end()), Out.Targets.end());
  return Out;
}

} // namespace whyhot::machine
