// Comparisons of two ranges, an element of one or two bytes at a time, up to the first that
// differs: the length of a match, a common prefix, equality. Two loads that move by one element
// meet in one comparison, and its jump leaves the loop. Where a loaded byte is compared with
// something else, too, its end is a zero or a separator, and nothing may be read behind it.
// Example: movzbl (%r13,%rdx),%eax; add $1,%rdx; cmp -1(%rdi,%rdx),%al; je again
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t LongestCompare = 16; // instructions: a longer loop does more than to compare

// A register of the address goes on by one element; the other may be loaded again from the stack.
bool movesByOne(const Subject &S, const Instruction &I) {
  if (!I.loads() || !I.At || (I.At->Bytes != 1 && I.At->Bytes != 2))
    return false;
  auto Moves = [&](MCRegister R, int64_t Scale) {
    const auto By = R ? stepOf(S, R) : std::nullopt;
    return By && std::abs(*By) * Scale == I.At->Bytes;
  };
  return Moves(I.At->Base, 1) || Moves(I.At->Index, I.At->Scale);
}

bool isComparison(const Instruction &I) {
  return I.Name.starts_with("CMP") || I.Name.starts_with("TEST") || I.Name.starts_with("SUB") ||
         I.Name.starts_with("XOR");
}

// The block's jump asks this comparison: nothing after it sets the flags.
bool decides(const Subject &S, const Block &B, const Instruction &Comparison) {
  if (!S.F.Code[B.End - 1].Conditional)
    return false;
  for (size_t N = B.End - 1; N-- > B.First;) {
    const Instruction &I = S.F.Code[N];
    if (setsFlags(S, I))
      return &I == &Comparison;
  }
  return false;
}

void byteCompare(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost() || hasCall(S))
    return;
  const Flow F(S);
  const size_t Size = F.code().size();
  if (Size > LongestCompare)
    return;
  SmallVector<size_t, 2> Loads;
  for (size_t N = 0; N < Size; ++N) {
    const Instruction &I = F.at(N);
    if (I.Bad || I.stores() || I.slow() == Slow::Divide || I.slow() == Slow::Atomic)
      return;
    if (movesByOne(S, I))
      Loads.push_back(N);
  }
  if (Loads.size() != 2)
    return;
  auto Asks = [&](size_t Load, size_t N) { return Load == N || is_contained(F.sources(N), Load); };
  const Instruction *Meets = nullptr;
  for (size_t N = 0; N < Size; ++N) {
    const Instruction &I = F.at(N);
    if (!isComparison(I) || (!Asks(Loads[0], N) && !Asks(Loads[1], N)))
      continue;
    if (!I.Name.starts_with("CMP") || !Asks(Loads[0], N) || !Asks(Loads[1], N))
      return;
    const Block &B = *F.code()[N].In;
    if (!decides(S, B, I) || inside(S, B).size() != 1)
      return;
    Meets = &I;
  }
  if (Meets)
    add(Out, "machine-byte-compare", *Meets, {{"bytes", std::to_string(F.at(Loads[0]).At->Bytes)}});
}

const Registered<Rule> ByteCompareRule("byte-compare", byteCompare);

} // namespace
} // namespace whyhot::machine::rules
