// Hashes that take a byte at a time, each step a multiplication that waits for the one
// before: FNV-1a, and those of 33 and 31. Numbers are read in the same way, by other
// factors: 10, 16, 8.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr uint64_t FNV32 = 0x01000193, FNV64 = 0x100000001b3;

// The factor of a multiplication: in the instruction, or in a register that keeps it.
std::optional<uint64_t> factorOf(const Subject &S, const Instruction &I) {
  if (!I.Name.starts_with("IMUL32") && !I.Name.starts_with("IMUL64"))
    return std::nullopt;
  const unsigned Last = I.Inst.getNumOperands();
  if (Last > 0 && I.Inst.getOperand(Last - 1).isImm() && !I.At)
    return uint64_t(I.Inst.getOperand(Last - 1).getImm());
  for (const Instruction &D : S.F.Code) {
    if (D.Bad || !D.Name.starts_with("MOV") || D.Desc->getNumDefs() != 1 || D.Inst.getNumOperands() != 2 ||
        !D.Inst.getOperand(0).isReg() || !D.Inst.getOperand(1).isImm())
      continue;
    const MCRegister R = D.Inst.getOperand(0).getReg();
    if (reads(I, R, *S.T.Registers) && isInvariant(S, R))
      return uint64_t(D.Inst.getOperand(1).getImm());
  }
  return std::nullopt;
}

const char *factorName(uint64_t Factor) {
  if (Factor == FNV32 || Factor == FNV64)
    return "FNV";
  constexpr uint64_t Smallest = 31; // below are the bases of numbers
  return Factor >= Smallest && Factor % 2 == 1 ? "a multiplication" : nullptr;
}

// x * 33 and x * 31, as a shift by five and an addition or subtraction of x.
bool multipliesBy33(const Flow &F, size_t N) {
  const Instruction &I = F.at(N);
  if (!I.Name.starts_with("SHL") || I.Inst.getNumOperands() != 3 || !I.Inst.getOperand(2).isImm() ||
      I.Inst.getOperand(2).getImm() != 5)
    return false;
  // What is shifted was copied from what is added, or the other way round.
  auto Origin = [&](size_t K) {
    for (int Steps = 0; Steps < 3 && F.at(K).Name.starts_with("MOV") && !F.at(K).loads(); ++Steps) {
      const auto From = F.sources(K);
      if (From.size() != 1)
        break;
      K = From[0];
    }
    return K;
  };
  const auto Shifted = F.sources(N);
  if (Shifted.size() != 1)
    return false;
  for (size_t K = 0; K < F.code().size(); ++K) {
    const StringRef Name = F.at(K).Name;
    if (!Name.starts_with("ADD") && !Name.starts_with("SUB") && !Name.starts_with("LEA"))
      continue;
    const auto From = F.sources(K);
    if (is_contained(From, N) && any_of(From, [&](size_t O) { return O != N && Origin(O) == Origin(Shifted[0]); }))
      return true;
  }
  return false;
}

void hash(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost() || hasCall(S))
    return;
  const Flow F(S);
  const size_t Size = F.code().size();
  constexpr size_t Longest = 24;
  if (Size > Longest)
    return;
  std::vector<size_t> Bytes;
  size_t Shifts = 0;
  for (size_t N = 0; N < Size; ++N) {
    const Instruction &I = F.at(N);
    if (I.Bad || I.stores())
      return;
    Shifts += I.Name.starts_with("SHL") || I.Name.starts_with("SHR") || I.Name.starts_with("ROL") ||
              I.Name.starts_with("ROR");
    if (!I.loads())
      continue;
    const auto By = strideOf(S, I);
    if (I.At && I.At->Bytes == 1 && By && std::abs(*By) == 1)
      Bytes.push_back(N);
    else
      return; // a table, or another kind of input
  }
  for (size_t N = 0; N < Size; ++N) {
    const auto Factor = factorOf(S, F.at(N));
    const char *Name = Factor ? factorName(*Factor) : Shifts == 1 && multipliesBy33(F, N) ? "33 or 31" : nullptr;
    if (Name && F.feeds(N, N) && any_of(Bytes, [&](size_t B) { return F.feeds(B, N); }))
      return add(Out, "machine-hash", F.at(N), {{"hash", Name}});
  }
}

const Registered<Rule> HashRule("hash", hash);

} // namespace
} // namespace whyhot::machine::rules
