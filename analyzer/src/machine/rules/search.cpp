// Binary searches whose bounds are moved by a jump: each comparison is a coin that the
// processor has to guess. Example: shr %rsi; comiss (%rcx,%rsi,4),%xmm0; jbe, with
// mov %rsi,%high on one side and lea 1(%rsi),%low on the other.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t LongestSearch = 48; // instructions: a longer loop does more than to search

bool halves(const Instruction &I) {
  if (!I.Name.starts_with("SHR") && !I.Name.starts_with("SAR"))
    return false;
  const unsigned N = I.Inst.getNumOperands();
  return I.Name.ends_with("r1") || (I.Name.ends_with("ri") && I.Inst.getOperand(N - 1).getImm() == 1);
}

bool compares(const Instruction &I) {
  const StringRef Name = plainName(I);
  return Name.starts_with("CMP8") || Name.starts_with("CMP16") || Name.starts_with("CMP32") ||
         Name.starts_with("CMP64") || Name.starts_with("COMIS") || Name.starts_with("UCOMIS");
}

// How the address of a load is made, in the load's own block.
struct AddressSlice {
  bool Halves = false;
  SmallVector<MCRegister, 8> Made;   // the registers that are written on the way
  SmallVector<MCRegister, 8> Inputs; // those that the block begins with
};

std::optional<AddressSlice> sliceOf(const Subject &S, const Block &B, size_t Load) {
  AddressSlice Out;
  auto Want = [&](MCRegister R) {
    if (R && !is_contained(Out.Inputs, whole(S, R)))
      Out.Inputs.push_back(whole(S, R));
  };
  Want(S.F.Code[Load].At->Base);
  Want(S.F.Code[Load].At->Index);
  for (size_t N = Load; N-- > B.First;) {
    const Instruction &I = S.F.Code[N];
    bool Is = false;
    for (MCRegister R : written(S, I))
      if (is_contained(Out.Inputs, R)) {
        Is = true;
        erase(Out.Inputs, R);
        Out.Made.push_back(R);
      }
    if (!Is)
      continue;
    if (I.loads()) {
      if (!isFixed(S, I)) // a list or a tree
        return std::nullopt;
      continue; // an array whose address is kept on the stack
    }
    Out.Halves |= halves(I);
    for (unsigned K = I.Desc->getNumDefs(); K < I.Inst.getNumOperands(); ++K)
      if (I.Inst.getOperand(K).isReg())
        Want(I.Inst.getOperand(K).getReg());
  }
  return Out;
}

// The bounds: inputs that are written in some iterations only, and at least one of them
// from what the slice made.
bool hasBounds(const Subject &S, const Block &B, const AddressSlice &X) {
  size_t Bounds = 0;
  bool Back = false;
  for (const MCRegister R : X.Inputs) {
    if (isInvariant(S, R) || stepOf(S, R))
      continue;
    bool Sometimes = false;
    for (const Place &P : own(S)) {
      const Instruction &I = S.F.Code[P.At];
      if (P.In == &B || isAlways(S, P.In) || !is_contained(written(S, I), R))
        continue;
      Sometimes = true;
      Back |= any_of(X.Made, [&](MCRegister M) { return reads(I, M, *S.T.Registers); });
    }
    Bounds += Sometimes;
  }
  return Bounds >= 2 && Back;
}

bool isJumpAlone(const Subject &S, const Block &B) { return B.End - B.First == 1 && S.F.Code[B.First].Conditional; }

// Behind the first instruction that runs on the way from a block's end to another block:
// there the clock's samples are, where that way was fetched late.
std::optional<size_t> behindFirst(const Block &B) {
  if (B.End - B.First >= 2)
    return B.First + 1;
  if (B.empty() || B.Successors.size() != 1 || B.Successors[0]->empty())
    return std::nullopt;
  return B.Successors[0]->First;
}

// The two ways that a comparison goes on, each by the instruction behind its first. A
// third, equality, may leave the loop before or after: cmp; je found; jl, or cmp; jl; je
// found.
SmallVector<size_t, 2> waysOf(const Subject &S, const Block &B) {
  SmallVector<const Block *, 2> Sides = inside(S, B);
  if (Sides.size() == 1 && isJumpAlone(S, *Sides[0]))
    Sides = inside(S, *Sides[0]);
  SmallVector<size_t, 2> Out;
  for (const Block *To : Sides) {
    const auto Next = inside(S, *To);
    if (isJumpAlone(S, *To) && Next.size() == 1 && !Next[0]->empty())
      Out.push_back(Next[0]->First);
    else if (const auto N = behindFirst(*To))
      Out.push_back(*N);
  }
  return Out;
}

// The comparison with what a load found, in the same block.
std::optional<size_t> comparison(const Subject &S, const Block &B, size_t Load) {
  if (compares(S.F.Code[Load]))
    return Load;
  const auto Loaded = written(S, S.F.Code[Load]);
  for (size_t N = Load + 1; N < B.End; ++N)
    if (compares(S.F.Code[N]) && any_of(Loaded, [&](MCRegister R) {
          return any_of(S.F.Code[N].Inst,
                        [&](const MCOperand &O) { return O.isReg() && O.getReg() && whole(S, O.getReg()) == R; });
        }))
      return N;
  return std::nullopt;
}

} // namespace

void search(const Subject &S, std::vector<Match> &Out) {
  const std::vector<Place> &All = own(S);
  if (!S.In.isInnermost() || All.size() > LongestSearch || hasCall(S))
    return;
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (I.Bad || I.Name.contains("CMOV") || (I.stores() && !(I.At && isStack(S, *I.At))))
      return;
  }
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (!I.loads() || !I.At || I.At->Segment || I.IsRelative || isStack(S, *I.At) ||
        !S.F.Code[P.In->End - 1].Conditional || !comparison(S, *P.In, P.At))
      continue;
    const auto X = sliceOf(S, *P.In, P.At);
    if (!X || !X->Halves || !hasBounds(S, *P.In, *X))
      continue;
    const auto Ways = waysOf(S, *P.In);
    if (Ways.size() != 2)
      continue;
    auto At = [&](size_t N) { return utohexstr(S.F.Code[N].Address, true); };
    return add(Out, "machine-search", S.F.Code[P.In->End - 1], {{"one", At(Ways[0])}, {"other", At(Ways[1])}});
  }
}

namespace {
const Registered<Rule> SearchRule("search", search);
} // namespace

} // namespace whyhot::machine::rules
