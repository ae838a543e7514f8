// Jumps that leave out what an iteration would do, by something that was just loaded, and
// lead on to the next iteration without any store. How often they do is told by outcomes that
// a recording has followed: a loop over what is mostly zero, or not active.
// Example: ucomisd (%rax,%rcx,8),%xmm1; jp work; je next; work: …; next: add $1,%rcx; cmp; jl
#include "machine/rules/facts.h"

#include <map>
#include <string>
#include <vector>

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t LongestSkip = 24; // instructions of an iteration that does nothing

bool testsOrCompares(const Instruction &I) {
  const StringRef Name = plainName(I);
  return Name.starts_with("CMP") || Name.starts_with("TEST") || Name.starts_with("COMIS") ||
         Name.starts_with("UCOMIS") || Name.starts_with("BT");
}

// xor %eax,%eax: zero, whatever the register was.
bool makesZero(const Instruction &I) {
  const StringRef Name = plainName(I);
  return (Name.starts_with("XOR") || Name.starts_with("PXOR")) && Name.ends_with("rr") &&
         I.Inst.getNumOperands() >= 3 && I.Inst.getOperand(1).getReg() == I.Inst.getOperand(2).getReg();
}

// Whether an instruction's operands are of this iteration alone: made in its block, from what is
// loaded or the same in all iterations. Loaded tells whether an element is among them.
bool isOfIteration(const Subject &S, const Block &B, size_t N, bool &Loaded) {
  const Instruction &I = S.F.Code[N];
  if (makesZero(I))
    return true;
  Loaded |= loadsElement(S, I);
  for (MCRegister R : read(S, I)) {
    if (isInvariant(S, R) || (I.loads() && (R == I.At->Base || R == I.At->Index)))
      continue;
    size_t K = N;
    while (K > B.First && !is_contained(written(S, S.F.Code[K - 1]), whole(S, R)))
      --K;
    if (K == B.First || !isOfIteration(S, B, K - 1, Loaded))
      return false;
  }
  return true;
}

// The block's jump asks what the block has loaded, beside what is the same in all iterations:
// neither a counter, nor the best so far, nor what all elements before make, as a rolling hash
// does: h = h * 2 + table[*p++]; if (!(h & mask)).
bool asksElement(const Subject &S, const Block &B) {
  for (size_t N = B.End - 1; N-- > B.First;) {
    bool Loaded = false;
    if (testsOrCompares(S.F.Code[N]))
      return isOfIteration(S, B, N, Loaded) && Loaded;
  }
  return false;
}

bool works(const Instruction &I) {
  return I.Bad || I.Call || I.stores() || I.repeats() || I.slow() == Slow::Divide || I.slow() == Slow::Atomic;
}

// The blocks from one on to another, the shortest way on which nothing is stored; none where
// there is no such way.
std::vector<const Block *> way(const Subject &S, const Block *From, const Block *To) {
  std::map<const Block *, const Block *> Before{{From, nullptr}};
  std::vector<const Block *> Next{From};
  for (size_t At = 0; At < Next.size(); ++At) {
    const Block *B = Next[At];
    if (B == To) {
      std::vector<const Block *> Out;
      for (; B; B = Before[B])
        Out.push_back(B);
      return Out;
    }
    const auto Code = ArrayRef(S.F.Code).slice(B->First, B->End - B->First);
    if (S.All.Info.getLoopFor(B) != &S.In || any_of(Code, works))
      continue;
    for (const Block *N : inside(S, *B))
      if (Before.try_emplace(N, B).second)
        Next.push_back(N);
  }
  return {};
}

size_t length(const std::vector<const Block *> &Way) {
  size_t Out = 0;
  for (const Block *B : Way)
    Out += B->End - B->First;
  return Out;
}

// The register is asked for by something else of the loop than by what changes it: by an address,
// a comparison, another value.
bool isUsed(const Subject &S, MCRegister R) {
  return any_of(everything(S), [&](const Place &P) {
    const Instruction &I = S.F.Code[P.At];
    const auto Reads = read(S, I);
    return any_of(Reads, [&](MCRegister Q) { return whole(S, Q) == R; }) && !is_contained(written(S, I), R);
  });
}

// The block's jump asks for the flags of an instruction: dec %rsi; jne.
bool isAsked(const Subject &S, const Block &B, size_t N) {
  if (!setsFlags(S, S.F.Code[N]))
    return false;
  for (++N; N < B.End; ++N) {
    if (S.F.Code[N].Conditional)
      return true;
    if (setsFlags(S, S.F.Code[N]))
      return false;
  }
  return false;
}

// The way does something with the element, in registers alone: it adds to one that nothing in the
// loop asks for, as a count of all elements does; or it goes on to the one that this one points to,
// and no other list can stand for that.
// Example: c = *s; if (c < 0x80) { s++; } else { s += decode(s); } n++;
bool countsOrFollows(const Subject &S, ArrayRef<const Block *> Way) {
  for (const Block *One : Way) {
    for (size_t N = One->First; N < One->End; ++N) {
      const Instruction &I = S.F.Code[N];
      const auto Reads = read(S, I);
      for (MCRegister R : written(S, I)) {
        const bool Itself = any_of(Reads, [&](MCRegister Q) { return whole(S, Q) == R; });
        if (Itself && (I.loads() ? I.At->Index == MCRegister() && whole(S, I.At->Base) == R
                                 : !isUsed(S, R) && !isAsked(S, *One, N)))
          return true;
      }
    }
  }
  return false;
}

void skip(const Subject &S, std::vector<Match> &Out) {
  for (const Block *B : S.In.blocks()) {
    if (B->End - B->First < 2 || S.All.Info.getLoopFor(B) != &S.In || !S.F.Code[B->End - 1].Conditional ||
        !asksElement(S, *B) || any_of(ArrayRef(S.F.Code).slice(B->First, B->End - B->First), works))
      continue;
    const auto To = inside(S, *B);
    if (To.size() != 2)
      continue;
    const std::vector<const Block *> Ways[] = {way(S, To[0], B), way(S, To[1], B)};
    for (size_t One = 0; One < 2; ++One) {
      const Block *First = To[One];
      const auto &Way = Ways[One], &Other = Ways[1 - One];
      const size_t Length = length(Way);
      // Of two ways without a store, the longer one does something with the element: it adds it
      // to a register.
      if (!Other.empty() && length(Other) <= Length)
        continue;
      std::string Cycle;
      for (const Block *P : Way) {
        if (!P->empty())
          Cycle += (Cycle.empty() ? "" : ",") + utohexstr(S.F.Code[P->First].Address, true) + "-" +
                   utohexstr(S.F.Code[P->End - 1].end(), true);
      }
      if (Way.empty() || Length > LongestSkip || countsOrFollows(S, Way))
        continue;
      const Instruction &Jump = S.F.Code[B->End - 1];
      const bool Taken = Jump.Jumps && !First->empty() && S.F.Code[First->First].Address == *Jump.Jumps;
      add(Out, "machine-skip", Jump, {{"by", Taken ? "taken" : "next"}, {"cycle", Cycle}});
    }
  }
}

const Registered<Rule> SkipRule("skip", skip);

} // namespace
} // namespace whyhot::machine::rules
