// A load of more bytes than a store just before put there: the processor cannot hand
// the value on and waits until the store is in the cache, some 12 cycles.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t Near = 24; // instructions; a store further back has left

bool sameBase(const Memory &A, const Memory &B) {
  return A.Base == B.Base && A.Index == B.Index && A.Segment == B.Segment && (!A.Index || A.Scale == B.Scale);
}

void forwarding(const Subject &S, std::vector<Match> &Out) {
  for (const Place &P : own(S)) {
    const Instruction &L = S.F.Code[P.At];
    if (!L.loads() || !L.At || L.At->Bytes < 2 || L.At->Bytes > 32 || L.IsRelative)
      continue;
    for (size_t N = P.At; N > P.In->First && P.At - N < Near; --N) {
      const Instruction &W = S.F.Code[N - 1];
      if (W.Call || W.Bad || writes(W, L.At->Base, *S.T.Registers) || writes(W, L.At->Index, *S.T.Registers))
        break;
      if (!W.stores() || W.Name.starts_with("CLFLUSH") || W.Name == "CLWB")
        continue; // LLVM has a flush write its line
      if (!W.At || !W.At->Bytes)
        break;
      if (!sameBase(*W.At, *L.At))
        continue;
      const int64_t Low = W.At->Offset, High = Low + W.At->Bytes, Want = L.At->Offset, End = Want + L.At->Bytes;
      if (Low <= Want && High >= End)
        break; // all of it is handed on
      if (Low < End && High > Want) {
        add(Out, "machine-forwarding", L,
            {{"store", utohexstr(W.Address, true)},
             {"stored", std::to_string(W.At->Bytes)},
             {"loaded", std::to_string(L.At->Bytes)}});
        break;
      }
    }
  }
}

const Registered<Rule> ForwardingRule("forwarding", forwarding);

} // namespace
} // namespace whyhot::machine::rules
