// Cyclic redundancy checks a bit or a byte at a time. They are told by their
// polynomial: as a constant of the loop, or as an entry of the table that it reads.
#include "machine/rules/facts.h"

#include "llvm/Support/Endian.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

struct Polynomial {
  uint64_t Value;
  const char *Name;
};

constexpr Polynomial Known[] = {
    {0xedb88320, "CRC-32"},         {0x04c11db7, "CRC-32"},         {0x82f63b78, "CRC-32C"},
    {0x1edc6f41, "CRC-32C"},        {0xc96c5795d7870f42, "CRC-64"}, {0x42f0e1eba9ea3693, "CRC-64"},
    {0x95ac9329ac4bc9b5, "CRC-64"},
};

const char *polynomialName(uint64_t V) {
  for (const Polynomial &P : Known)
    if (P.Value == V)
      return P.Name;
  return nullptr;
}

std::optional<uint64_t> constantOf(const Instruction &I) {
  for (unsigned N = 0; N < I.Inst.getNumOperands(); ++N)
    if (I.Inst.getOperand(N).isImm() && !I.At) {
      const uint64_t V = uint64_t(I.Inst.getOperand(N).getImm());
      return I.Name.contains("32") ? uint32_t(V) : V;
    }
  return std::nullopt;
}

bool shiftsBy(const Instruction &I, int64_t Bits) {
  const bool One = Bits == 1 && (I.Name.starts_with("ADD32rr") || I.Name.starts_with("ADD64rr"));
  if (One && I.Inst.getNumOperands() > 2 && I.Inst.getOperand(1).isReg() && I.Inst.getOperand(2).isReg() &&
      I.Inst.getOperand(1).getReg() == I.Inst.getOperand(2).getReg())
    return true;
  if (Bits == 1 && I.Name.starts_with("LEA") && I.At && I.At->Base && I.At->Base == I.At->Index && I.At->Scale == 1)
    return true;
  if (!I.Name.starts_with("SHR") && !I.Name.starts_with("SHL"))
    return false;
  if (Bits == 1 && I.Name.ends_with("r1"))
    return true;
  const unsigned Last = I.Inst.getNumOperands();
  return Last > 0 && I.Inst.getOperand(Last - 1).isImm() && I.Inst.getOperand(Last - 1).getImm() == Bits;
}

// The polynomial in the loop, or in a register that keeps it.
const char *bitwise(const Subject &S, const Instruction &I) {
  if (I.Name.starts_with("XOR") || I.Name.starts_with("AND"))
    if (const auto V = constantOf(I))
      if (const char *N = polynomialName(*V))
        return N;
  if (!I.Name.starts_with("XOR") && !I.Name.starts_with("AND") && !I.Name.starts_with("CMOV"))
    return nullptr;
  for (const Instruction &D : S.F.Code) {
    if (D.Bad || !D.Name.starts_with("MOV") || D.Desc->getNumDefs() != 1 || !D.Inst.getOperand(0).isReg())
      continue;
    const auto V = constantOf(D);
    const char *N = V ? polynomialName(*V) : nullptr;
    if (N && reads(I, D.Inst.getOperand(0).getReg(), *S.T.Registers) && isInvariant(S, D.Inst.getOperand(0).getReg()))
      return N;
  }
  return nullptr;
}

// Where a table of constants begins, if the function has its address.
std::optional<uint64_t> tableOf(const Subject &S, const Memory &M) {
  if (!M.Base)
    return uint64_t(M.Offset);
  std::optional<uint64_t> Only;
  for (const Instruction &I : S.F.Code) {
    if (I.Bad || !writes(I, M.Base, *S.T.Registers))
      continue;
    if (I.Name == "LEA64r" && I.IsRelative && !Only)
      Only = I.end() + uint64_t(I.At->Offset) + uint64_t(M.Offset);
    else if (I.Name == "LEA64r" && I.IsRelative)
      return std::nullopt;
  }
  return Only;
}

// A table for bytes has the polynomial where one bit is set: at 128 where bits are
// counted from the low end, at 1 where from the high one.
const char *inTable(const Subject &S, const Memory &M) {
  const auto Table = tableOf(S, M);
  if (!Table)
    return nullptr;
  for (const uint64_t Entry : {128, 1}) {
    const ArrayRef<uint8_t> Bytes = S.Im.at(*Table + Entry * uint64_t(M.Scale));
    if (Bytes.size() < 8)
      return nullptr;
    const uint64_t V = M.Scale == 4 ? support::endian::read32le(Bytes.data()) : support::endian::read64le(Bytes.data());
    if (const char *N = polynomialName(V))
      return N;
  }
  return nullptr;
}

// Each look-up waits for the one before. A compressor hashes by the same table, without.
bool isChained(const Subject &S, const Instruction &Look) {
  const Flow F(S);
  for (size_t N = 0; N < F.code().size(); ++N)
    if (&F.at(N) == &Look)
      return F.feeds(N, N);
  return false;
}

void checksum(const Subject &S, std::vector<Match> &Out) {
  const std::vector<Place> &All = own(S);
  bool ByOne = false, ByEight = false;
  for (const Place &P : All) {
    ByOne = ByOne || shiftsBy(S.F.Code[P.At], 1);
    ByEight = ByEight || shiftsBy(S.F.Code[P.At], 8);
  }
  std::optional<Memory> Table;
  const Instruction *Look = nullptr;
  const char *Name = nullptr;
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (I.Bad)
      return;
    if (ByOne)
      if (const char *N = bitwise(S, I))
        return add(Out, "machine-checksum", I, {{"sum", N}, {"at_a_time", "bit"}});
    if (!ByEight || !I.loads() || !I.At || !I.At->Index || (I.At->Scale != 4 && I.At->Scale != 8) ||
        I.At->Bytes != unsigned(I.At->Scale))
      continue;
    // Several tables: several bytes at a time already.
    if (Table && (Table->Base != I.At->Base || Table->Offset != I.At->Offset))
      return;
    Table = I.At;
    Look = &I;
    Name = inTable(S, *Table);
  }
  if (Look && Name && isChained(S, *Look))
    add(Out, "machine-checksum", *Look, {{"sum", Name}, {"at_a_time", "byte"}});
}

const Registered<Rule> ChecksumRule("checksum", checksum);

} // namespace
} // namespace whyhot::machine::rules
