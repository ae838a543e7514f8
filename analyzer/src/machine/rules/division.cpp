// A division by a number that the loop does not change. A divider takes 10 to 40
// cycles; a multiplication by the reciprocal, computed before the loop, 4.
#include "machine/rules/facts.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

// The addresses of the instructions that use what the one at a place gives, through
// any others: some of their waiting is for the division.
std::string usersOf(const Flow &F, size_t At) {
  const size_t Size = F.code().size();
  std::vector<SmallVector<size_t, 4>> Readers(Size);
  SmallVector<size_t, 16> Todo;
  for (size_t N = 0; N < Size; ++N) {
    for (size_t From : F.sources(N))
      Readers[From].push_back(N);
    if (F.code()[N].At == At)
      Todo.push_back(N);
  }
  std::vector<bool> Uses(Size);
  while (!Todo.empty())
    for (size_t N : Readers[Todo.pop_back_val()])
      if (!Uses[N]) {
        Uses[N] = true;
        Todo.push_back(N);
      }
  std::string Out;
  for (size_t N = 0; N < Size; ++N)
    if (Uses[N] && F.code()[N].At != At)
      Out += (Out.empty() ? "" : ",") + utohexstr(F.at(N).Address, /*LowerCase=*/true);
  return Out;
}

void division(const Subject &S, std::vector<Match> &Out) {
  const bool Calls = hasCall(S);
  const std::vector<Place> &All = everything(S);
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    StringRef Name = I.Name;
    if (!Name.consume_front("DIV") && !Name.consume_front("IDIV"))
      continue;
    unsigned Bits = 0;
    if (Name.consumeInteger(10, Bits) || (Bits != 16 && Bits != 32 && Bits != 64))
      continue; // of floats, or of bytes
    std::string Divisor;
    if (Name == "r" && I.Inst.getOperand(0).isReg() && isInvariant(S, I.Inst.getOperand(0).getReg())) {
      Divisor = "%" + nameOf(S, I.Inst.getOperand(0).getReg()).lower();
    } else if (Name == "m" && isFixed(S, I)) {
      // Somebody may write to memory: a slot of the stack only by its own address.
      const bool Stack = isStack(S, *I.At);
      const bool Written = any_of(All, [&](const Place &Q) {
        const Instruction &W = S.F.Code[Q.At];
        return W.stores() && !W.Call && (!Stack || (W.At && W.At->sameAddress(*I.At)));
      });
      if (Written || (Calls && !Stack))
        continue;
      Divisor = addressText(S, *I.At);
    } else {
      continue;
    }
    add(Out, "machine-division", I,
        {{"divisor", Divisor}, {"bits", std::to_string(Bits)}, {"users", usersOf(Flow(S), P.At)}});
  }
}

const Registered<Rule> DivisionRule("division", division);

} // namespace
} // namespace whyhot::machine::rules
