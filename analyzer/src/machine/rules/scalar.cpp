// A loop that handles one byte, word or number of consecutive memory at a time
// although nothing in it keeps it from handling many: what one iteration hands to the
// next is counters and sums alone, and the counter decides when it ends. Sums of
// floating-point numbers are told apart: their order is part of the result.
#include "machine/rules/facts.h"

#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

// The forms that the vector unit has too.
bool isSimple(StringRef Name) {
  static constexpr StringRef Words[] = {"MOV8", "MOV16", "MOV32", "MOV64", "MOVZX", "MOVSX", "ADD",  "SUB",
                                        "AND",  "OR",    "XOR",   "SHL",   "SHR",   "SAR",   "NOT",  "NEG",
                                        "INC",  "DEC",   "LEA",   "CMP",   "TEST",  "CMOV",  "NOOP", "SETCC"};
  return any_of(Words, [&](StringRef W) { return Name.starts_with(W); });
}

// The same of one floating-point number in an SSE register, in both encodings.
bool isFloat(StringRef Name) {
  static constexpr StringRef Words[] = {"MOVSS",  "MOVSD",  "MOVAPS", "MOVAPD", "ADDSS",   "ADDSD",   "SUBSS", "SUBSD",
                                        "MULSS",  "MULSD",  "DIVSS",  "DIVSD",  "MINSS",   "MINSD",   "MAXSS", "MAXSD",
                                        "SQRTSS", "SQRTSD", "XORPS",  "XORPD",  "PXOR",    "ANDPS",   "ANDPD", "ANDNP",
                                        "CVTSS2", "CVTSD2", "CVTSI2", "CVTTS",  "UNPCKLP", "CVTPS2PD"};
  Name.consume_front("V");
  if (Name.starts_with("FMADD") || Name.starts_with("FMSUB") || Name.starts_with("FNM"))
    return Name.contains("SS") || Name.contains("SD");
  return any_of(Words, [&](StringRef W) { return Name.starts_with(W); });
}

// A sum in an SSE register: the instruction adds to what it has.
bool isFloatSum(StringRef Name) {
  Name.consume_front("V");
  return Name.starts_with("ADDS") || Name.starts_with("SUBS") || Name.starts_with("FMADD231S") ||
         Name.starts_with("FNMADD231S");
}

class Body {
public:
  explicit Body(const Subject &S) : S(S), Code(own(S)) {}

  bool HasFloats = false; // it computes with floating-point numbers
  bool SumsFloats = false;

  // The instruction that handles an element, null for a loop of another kind.
  const Instruction *element() {
    if (S.In.getNumBlocks() != 1 || Code.size() < 3)
      return nullptr;
    for (const Place &P : Code) {
      const Instruction &I = at(P);
      const bool Float = isFloat(I.Name);
      if (I.Bad || I.Call || (!I.Branch && !isSimple(I.Name) && !Float) || !I.Prefix.empty())
        return nullptr;
      HasFloats |= Float;
    }
    if (!classify() || !endsByCount())
      return nullptr;
    const Instruction *Out = nullptr;
    for (const Place &P : Code) {
      const Instruction &I = at(P);
      if (!I.loads() && !I.stores())
        continue;
      if (!I.At || !isConsecutive(I))
        return nullptr;
      if (!Out || I.stores())
        Out = &I;
    }
    return Out;
  }

private:
  const Instruction &at(const Place &P) const { return S.F.Code[P.At]; }

  // Sorts the registers that one iteration hands to the next.
  bool classify() {
    DenseMap<MCRegister, unsigned> Writes;
    for (const Place &P : Code)
      for (MCRegister R : written(S, at(P)))
        ++Writes[R];
    for (const auto &[R, Times] : Writes) {
      if (!isCarried(R))
        continue;
      if (Times != 1)
        return false;
      const Instruction *W = nullptr;
      unsigned Reads = 0;
      for (const Place &P : Code) {
        if (is_contained(written(S, at(P)), R))
          W = &at(P);
        else
          Reads += reads(at(P), R, *S.T.Registers);
      }
      if (const auto By = added(S, *W, R)) {
        Steps[R] = *By;
        continue;
      }
      if (isFloatSum(W->Name) && Reads == 0) {
        SumsFloats = true;
        continue;
      }
      const bool Sums = W->Name.starts_with("ADD") || W->Name.starts_with("OR") || W->Name.starts_with("XOR") ||
                        W->Name.starts_with("AND");
      if (!Sums || Reads > 0)
        return false;
    }
    return !Steps.empty();
  }

  // Read before it is written in an iteration, and written in it.
  bool isCarried(MCRegister R) const {
    for (const Place &P : Code) {
      const Instruction &I = at(P);
      // xor %eax,%eax reads nothing.
      const bool Zero = (I.Name.starts_with("XOR") || I.Name.starts_with("PXOR")) && I.Inst.getNumOperands() == 3 &&
                        I.Inst.getOperand(1).isReg() && I.Inst.getOperand(2).isReg() &&
                        I.Inst.getOperand(1).getReg() == I.Inst.getOperand(2).getReg();
      if (!Zero && reads(I, R, *S.T.Registers))
        return true;
      if (is_contained(written(S, I), R))
        return false;
    }
    return false;
  }

  // The jump back waits for a counter, and no other jump leaves.
  bool endsByCount() const {
    const Instruction *Flags = nullptr;
    for (const Place &P : Code) {
      const Instruction &I = at(P);
      if (I.Branch)
        break;
      if (setsFlags(S, I))
        Flags = &I;
    }
    if (!Flags || Flags->At)
      return false;
    bool Counts = false;
    for (unsigned N = 0; N < Flags->Inst.getNumOperands(); ++N) {
      const MCOperand &O = Flags->Inst.getOperand(N);
      if (!O.isReg() || !O.getReg())
        continue;
      if (Steps.count(whole(S, O.getReg())))
        Counts = true;
      else if (!isInvariant(S, O.getReg()))
        return false;
    }
    return Counts;
  }

  bool isConsecutive(const Instruction &I) const {
    const Memory &M = *I.At;
    const bool Long = M.Bytes == 8 && isFloat(I.Name); // others gain too little from vectors
    if (M.Bytes != 1 && M.Bytes != 2 && M.Bytes != 4 && !Long)
      return false;
    if (I.loads() && I.stores())
      return false; // read and written at once: seen, but not tried
    int64_t By = 0;
    for (const auto &[R, Scale] : {std::pair(M.Base, int64_t(1)), std::pair(M.Index, M.Scale)}) {
      if (!R)
        continue;
      if (auto It = Steps.find(whole(S, R)); It != Steps.end())
        By += It->second * Scale;
      else if (!isInvariant(S, R))
        return false;
    }
    return By == int64_t(M.Bytes);
  }

  const Subject &S;
  const std::vector<Place> &Code;
  DenseMap<MCRegister, int64_t> Steps;
};

void scalar(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost())
    return;
  Body Loop(S);
  const Instruction *I = Loop.element();
  if (!I)
    return;
  // What is left over of a vector loop is another rule's.
  std::vector<Match> Rest;
  remainder(S, Rest);
  if (!Rest.empty())
    return;
  if (Loop.SumsFloats)
    return add(Out, "machine-float-sum", *I, {{"bytes", std::to_string(I->At->Bytes)}});
  std::map<std::string, std::string> Facts{{"bytes", std::to_string(I->At->Bytes)}};
  if (Loop.HasFloats)
    Facts["float"] = "yes";
  add(Out, "machine-scalar", *I, std::move(Facts));
}

const Registered<Rule> ScalarRule("scalar", scalar);

} // namespace
} // namespace whyhot::machine::rules
