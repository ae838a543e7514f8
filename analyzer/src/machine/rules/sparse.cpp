// Loads that use a small part of what they walk along: an array of large structures of
// which a loop reads a few fields. Each element brings whole cache lines, and most of
// their bytes are for nothing.
// Example: movl 0x20(%rax),%r9d; cvtsd2ss 0x8(%rax),%xmm3; …; addq $0x98,%rax
#include "machine/rules/facts.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr int64_t Line = 64, Page = 4096;
constexpr int64_t Least = 2 * Line; // bytes of an element
constexpr int64_t Part = 4;         // at most this part of them is used

void sparse(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost())
    return;
  struct Walk {
    int64_t Step = 0;
    SmallVector<std::pair<int64_t, int64_t>, 8> Used; // where, bytes
    SmallVector<const Instruction *, 8> Loads;
  };
  MapVector<std::pair<unsigned, unsigned>, Walk> Walks;
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    if ((!I.loads() && !I.stores()) || !I.At || I.Call || !I.At->Bytes)
      continue;
    const auto By = strideOf(S, I);
    if (!By || std::abs(*By) < Least || std::abs(*By) >= Page)
      continue;
    Walk &W = Walks[{I.At->Base.id(), I.At->Index.id()}];
    W.Step = std::abs(*By);
    W.Used.push_back({I.At->Offset, I.At->Bytes});
    if (I.loads())
      W.Loads.push_back(&I);
  }
  for (auto &[Registers, W] : Walks) {
    llvm::sort(W.Used);
    W.Used.erase(llvm::unique(W.Used), W.Used.end());
    int64_t Bytes = 0;
    for (const auto &[At, Size] : W.Used)
      Bytes += Size;
    if (Bytes * Part > W.Step)
      continue;
    for (const Instruction *I : W.Loads)
      add(Out, "machine-sparse", *I, {{"bytes", std::to_string(Bytes)}, {"element", std::to_string(W.Step)}});
  }
}

const Registered<Rule> Here("sparse", sparse);

} // namespace
} // namespace whyhot::machine::rules
