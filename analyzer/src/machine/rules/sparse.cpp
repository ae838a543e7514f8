// Loads that use a small part of what they walk along: an array of large structures of
// which a loop reads a few fields. Each element brings whole cache lines, and most of
// their bytes are for nothing.
// Example: movl 0x20(%rax),%r9d; cvtsd2ss 0x8(%rax),%xmm3; …; addq $0x98,%rax
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr int64_t Line = 64;
constexpr int64_t Least = 2 * Line; // bytes of an element
constexpr int64_t Part = 4;         // at most this part of them is used

void sparse(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost())
    return;
  for (Strided &W : stridesOf(S, Least, Page)) {
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

const Registered<Rule> SparseRule("sparse", sparse);

} // namespace
} // namespace whyhot::machine::rules
