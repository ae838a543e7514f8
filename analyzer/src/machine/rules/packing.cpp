// Bits that are packed one by one into a byte of memory: the number of the bit, or its
// mask, moves by one in an iteration and begins again with the next byte. The number
// need not be part of the address: the pointer goes on when a byte is full.
//
// Example. gcc's if (in[x] & plane) *p |= mask[bit]; if (--bit < 0) { bit = 7; *++p = 0; }
// is movzbl (%r12,%rcx),%ecx; or %cl,(%rsi); with sub $1,%edx, mov $6,%edx and
// add $1,%rsi, the latter two in one iteration of eight.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t LongestPacking = 64; // instructions

bool isShiftByOne(const Instruction &I) {
  if (!I.Name.starts_with("SHR") && !I.Name.starts_with("SAR") && !I.Name.starts_with("SHL"))
    return false;
  const unsigned Last = I.Inst.getNumOperands();
  return I.Name.ends_with("r1") ||
         (I.Name.ends_with("ri") && I.Inst.getOperand(Last - 1).isImm() && I.Inst.getOperand(Last - 1).getImm() == 1);
}

// It begins again: a constant, not a copy. xor of a register with itself is 0.
bool isConstant(const Instruction &I) {
  if (I.Name.starts_with("MOV") && I.Inst.getNumOperands() == 2 && I.Inst.getOperand(1).isImm())
    return true;
  return I.Name.starts_with("XOR") && I.Name.ends_with("rr") &&
         I.Inst.getOperand(1).getReg() == I.Inst.getOperand(2).getReg();
}

class Packing {
public:
  explicit Packing(const Subject &S) : S(S), F(S) {}

  const Instruction *find() const {
    const Instruction *Store = nullptr;
    for (size_t N = 0; N < F.code().size(); ++N) {
      const Instruction &I = F.at(N);
      if (I.Bad || I.Call)
        return nullptr;
      if (I.loads() && I.stores() && I.Name.starts_with("OR") && I.At && isStepped(*I.At) && isPicked(N))
        Store = &I;
    }
    return Store;
  }

private:
  SmallVector<size_t, 4> writersOf(MCRegister R) const {
    SmallVector<size_t, 4> Out;
    for (size_t N = 0; N < F.code().size(); ++N)
      if (is_contained(written(S, F.at(N)), whole(S, R)))
        Out.push_back(N);
    return Out;
  }

  // The address goes on by what is stored, and not in every iteration.
  bool isStepped(const Memory &M) const {
    if (M.Index && !isInvariant(S, M.Index))
      return false;
    const auto Writers = M.Base ? writersOf(M.Base) : SmallVector<size_t, 4>();
    return !Writers.empty() && all_of(Writers, [&](size_t N) {
      const auto By = added(S, F.at(N), whole(S, M.Base));
      return By && std::abs(*By) == int64_t(M.Bytes) && !isAlways(S, F.code()[N].In);
    });
  }

  // A register that counts bits, or is the mask of one, decides which bit is stored.
  bool isPicked(size_t Store) const {
    for (size_t N = 0; N < F.code().size(); ++N)
      for (MCRegister R : written(S, F.at(N))) {
        const auto By = added(S, F.at(N), R);
        if (!isShiftByOne(F.at(N)) && !(By && std::abs(*By) == 1))
          continue;
        const auto Writers = writersOf(R);
        if (any_of(Writers, [&](size_t W) { return isConstant(F.at(W)); }) &&
            any_of(Writers, [&](size_t W) { return F.feeds(W, Store); }))
          return true;
      }
    return false;
  }

  const Subject &S;
  Flow F;
};

void packing(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost() || own(S).size() > LongestPacking)
    return;
  if (const Instruction *I = Packing(S).find())
    add(Out, "machine-bit-set", *I);
}

const Registered<Rule> PackingRule("packing", packing);

} // namespace
} // namespace whyhot::machine::rules
