// What a load's address is computed by.
#pragma once

#include "machine/rules/facts.h"

namespace whyhot::machine::rules {

// The instructions of a loop that a load's address is computed by, on every way back: a
// backward slice in registers (Weiser, Program slicing, 1981). Calls give nothing on.
// Example: lea (%rsi,%rax,8),%rdx; mov (%rdx),%eax; and %ecx,%eax: the address of the load
// is computed by all three, the load itself among them.
class Slice {
public:
  Slice(const Subject &S, const Block &In, size_t At) : S(S) {
    want(In, At, S.F.Code[At].At->Base);
    want(In, At, S.F.Code[At].At->Index);
    for (size_t N = 0; N < Of.size() && Of.size() <= Most; ++N)
      for (const llvm::MCRegister R : read(S, S.F.Code[Of[N].At]))
        want(*Of[N].In, Of[N].At, R);
  }

  const std::vector<Place> &places() const { return Of; }
  bool has(size_t At) const {
    return llvm::any_of(Of, [&](const Place &P) { return P.At == At; });
  }

private:
  // Adds what may have written a register before an instruction.
  void want(const Block &Before, size_t At, llvm::MCRegister R) {
    if (!R || isInvariant(S, R))
      return;
    llvm::SmallVector<const Block *, 8> Todo, Seen;
    if (found(Before, At, R))
      return;
    Todo.append(Before.Predecessors.begin(), Before.Predecessors.end());
    while (!Todo.empty()) {
      const Block *B = Todo.pop_back_val();
      if (!S.In.contains(B) || llvm::is_contained(Seen, B))
        continue;
      Seen.push_back(B);
      if (!found(*B, B->End, R))
        Todo.append(B->Predecessors.begin(), B->Predecessors.end());
    }
  }

  // Adds the last instruction of a block before one that writes a register.
  bool found(const Block &B, size_t Before, llvm::MCRegister R) {
    for (size_t N = Before; N-- > B.First;) {
      const Instruction &I = S.F.Code[N];
      if (I.Call || I.Bad)
        return true; // whatever it gives, it is no load of this loop
      if (!writes(I, R, *S.T.Registers))
        continue;
      if (!has(N))
        Of.push_back({&B, N});
      return true;
    }
    return false;
  }

  static constexpr size_t Most = 200; // instructions
  const Subject &S;
  std::vector<Place> Of;
};

} // namespace whyhot::machine::rules
