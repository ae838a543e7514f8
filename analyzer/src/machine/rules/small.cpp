// Rules that look at single instructions.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

// An atomic update: some 20 cycles, and no load or store passes it.
void atomic(const Subject &S, std::vector<Match> &Out) {
  for (const Place &P : own(S))
    if (const Instruction &I = S.F.Code[P.At]; !I.Bad && I.locked())
      add(Out, "machine-atomic", I);
}

// x87: long double, or code of another age. One number at a time, through a stack.
void x87(const Subject &S, std::vector<Match> &Out) {
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    if (!I.Bad && !I.Call && any_of(I.Desc->implicit_defs(), [&](MCPhysReg R) { return nameOf(S, R) == "FPSW"; }))
      add(Out, "machine-x87", I);
  }
}

// rep movs and rep stos in a loop: each takes some 30 cycles to begin.
void rep(const Subject &S, std::vector<Match> &Out) {
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    static constexpr StringRef Words[] = {"MOVSB", "MOVSW", "MOVSL", "MOVSQ", "STOSB", "STOSW", "STOSL", "STOSQ"};
    if (!I.Bad && I.repeats() &&
        (is_contained(Words, I.Name) || I.Name.starts_with("REP_MOVS") || I.Name.starts_with("REP_STOS")))
      add(Out, "machine-rep", I);
  }
}

constexpr int64_t Vector = 16; // bytes of a register of SSE2

// The accesses take whole vectors, and an iteration goes on behind them: what is longer
// with longer registers. The two or four fields of a structure, put side by side into
// one register, are not.
bool isVector(const Strided &W) {
  int64_t Whole = 0;
  for (const auto &[Offset, Bytes] : W.Used)
    if (Bytes >= Vector)
      Whole += Bytes;
  return Whole >= W.Step;
}

// Arithmetic on packed floats in SSE2's encoding: four or two at a time, where
// processors since 2013 do eight or four.
void generic(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost())
    return;
  std::vector<const Instruction *> Packed;
  const Flow Data(S);
  for (size_t N = 0; N < Data.code().size(); ++N) {
    const Instruction &I = Data.at(N);
    if (I.Bad || (I.Name.starts_with("V") && I.Name != "VERRr"))
      return;
    // Sums in their order, and a filter's products that wait for those of the iteration
    // before: no register is so long that they wait less.
    if (I.Name.starts_with("ADDSD") || I.Name.starts_with("ADDSS") || I.Name.starts_with("SUBSD") ||
        I.Name.starts_with("SUBSS"))
      return;
    if (I.Name.starts_with("MULP") && Data.feeds(N, N))
      return;
    if (I.Name.starts_with("MULPS") || I.Name.starts_with("MULPD") || I.Name.starts_with("ADDPS") ||
        I.Name.starts_with("ADDPD") || I.Name.starts_with("SUBPS") || I.Name.starts_with("SUBPD"))
      Packed.push_back(&I);
  }
  constexpr size_t Enough = 2;
  constexpr int64_t Farthest = 32 * Vector; // of an unrolled loop
  if (Packed.size() >= Enough && any_of(stridesOf(S, Vector, Farthest + 1), isVector))
    for (const Instruction *I : Packed)
      add(Out, "machine-generic", *I);
}

const Registered<Rule> AtomicRule("atomic", atomic);
const Registered<Rule> X87Rule("x87", x87);
const Registered<Rule> RepRule("rep", rep);
const Registered<Rule> GenericRule("generic", generic);

} // namespace
} // namespace whyhot::machine::rules
