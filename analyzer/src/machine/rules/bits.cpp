// Bits that are set, cleared or copied one by one, in order: the number of the bit is
// a counter. Eight or 64 could be handled at once.
//
// Example. clang's p[i >> 3] |= 1 << (i & 7): mov %eax,%ecx; and $7,%cl; mov $1,%dl;
// shl %cl,%edx; mov %eax,%esi; shr $3,%esi; or %dl,(%rdi,%rsi); inc %eax.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

class Bits {
public:
  explicit Bits(const Subject &S) : S(S), F(S) {
    for (size_t N = 0; N < F.code().size(); ++N)
      for (MCRegister R : written(S, F.at(N)))
        if (const auto By = stepOf(S, R); By && isStep(std::abs(*By)) && added(S, F.at(N), R))
          Counters.push_back(N);
  }

  void run(std::vector<Match> &Out) {
    if (Counters.empty())
      return;
    const Instruction *Set = nullptr;
    bool Copies = false;
    for (size_t N = 0; N < F.code().size(); ++N) {
      const Instruction &I = F.at(N);
      if (I.Bad || I.Call)
        return;
      if (I.stores() && I.At && isWord(N) && picksStored(N))
        Set = &I;
      Copies |= I.loads() && !I.stores() && I.At && isWord(N) && isTested(N);
    }
    if (Set)
      add(Out, Copies ? RuleId("machine-bit-copy") : RuleId("machine-bit-set"), *Set);
  }

private:
  // One, or as many as clang unrolls such a loop by.
  static bool isStep(int64_t By) { return By == 1 || By == 2 || By == 4; }

  static bool isRight(const Instruction &I) {
    if (!I.Name.starts_with("SHR") && !I.Name.starts_with("SAR"))
      return false;
    const unsigned Last = I.Inst.getNumOperands();
    // Three bits of the number choose one of a byte, four of two, …
    return Last > 0 && I.Inst.getOperand(Last - 1).isImm() && I.Inst.getOperand(Last - 1).getImm() >= 3 &&
           I.Inst.getOperand(Last - 1).getImm() <= 6;
  }

  // The counter's value, copied or masked, and nothing else.
  bool counts(size_t N, unsigned Depth = 0) const {
    if (is_contained(Counters, N))
      return true;
    const StringRef Name = F.at(N).Name;
    constexpr unsigned Deepest = 4;
    if (Depth == Deepest || F.at(N).loads() ||
        (!Name.starts_with("MOV") && !Name.starts_with("AND") && !Name.starts_with("NOT")))
      return false;
    const auto From = F.sources(N);
    return From.size() == 1 && counts(From[0], Depth + 1);
  }

  bool countedIn(size_t N, MCRegister R) const {
    const auto W = R ? F.writer(R, N) : std::nullopt;
    return W && counts(*W);
  }

  // An instruction that takes the counter for the number of a bit.
  bool picks(size_t N) const {
    const Instruction &I = F.at(N);
    const bool ByCL =
        I.Name.ends_with("CL") && (I.Name.starts_with("SH") || I.Name.starts_with("SAR") || I.Name.starts_with("RO"));
    if (ByCL) {
      for (MCPhysReg R : I.Desc->implicit_uses())
        if (nameOf(S, R) == "CL")
          return countedIn(N, R);
      return false;
    }
    const bool ByRegister = (I.Name.starts_with("BT") && I.Name.ends_with("rr")) || I.Name.starts_with("SHLX") ||
                            I.Name.starts_with("SHRX") || I.Name.starts_with("SARX");
    const unsigned Last = I.Inst.getNumOperands();
    return ByRegister && Last > 0 && I.Inst.getOperand(Last - 1).isReg() &&
           countedIn(N, I.Inst.getOperand(Last - 1).getReg());
  }

  // The address of a byte or word has the upper bits of the counter.
  bool isWord(size_t N) const {
    for (MCRegister R : {F.at(N).At->Base, F.at(N).At->Index}) {
      const auto W = R ? F.writer(R, N) : std::nullopt;
      if (!W)
        continue;
      for (size_t K = 0; K < F.code().size(); ++K)
        if (isRight(F.at(K)) && (K == *W || isCopyOf(*W, K)) &&
            any_of(F.sources(K), [&](size_t O) { return counts(O); }))
          return true;
    }
    return false;
  }

  bool isCopyOf(size_t N, size_t Of) const {
    const StringRef Name = F.at(N).Name;
    const auto From = F.sources(N);
    return (Name.starts_with("MOV") || Name.starts_with("AND") || Name.starts_with("ADD") || Name.starts_with("LEA")) &&
           !F.at(N).loads() && is_contained(From, Of);
  }

  // What is stored comes from a bit that the counter picks.
  bool picksStored(size_t N) const {
    for (size_t K = 0; K < F.code().size(); ++K)
      if (picks(K) && !F.at(K).Name.starts_with("SHR") && !F.at(K).Name.starts_with("SAR") && F.feeds(K, N) &&
          !is_contained(addressOf(N), K))
        return true;
    return false;
  }

  // The instructions that only make the address of an access.
  SmallVector<size_t, 2> addressOf(size_t N) const {
    SmallVector<size_t, 2> Out;
    for (MCRegister R : {F.at(N).At->Base, F.at(N).At->Index})
      if (const auto W = R ? F.writer(R, N) : std::nullopt)
        Out.push_back(*W);
    return Out;
  }

  // What is loaded is shifted right by the counter, or a bit of it tested.
  bool isTested(size_t N) const {
    for (size_t K = 0; K < F.code().size(); ++K) {
      const StringRef Name = F.at(K).Name;
      const bool Tests = Name == "BT32rr" || Name == "BT64rr" || Name.starts_with("SHR") || Name.starts_with("SAR");
      if (Tests && picks(K) && F.feeds(N, K))
        return true;
    }
    return false;
  }

  const Subject &S;
  Flow F;
  SmallVector<size_t, 4> Counters;
};

void bits(const Subject &S, std::vector<Match> &Out) {
  constexpr size_t Longest = 64;
  if (S.In.isInnermost() && own(S).size() <= Longest)
    Bits(S).run(Out);
}

const Registered<Rule> BitsRule("bits", bits);

} // namespace
} // namespace whyhot::machine::rules
