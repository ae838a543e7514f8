// Binary searches whose bounds are moved by a jump: each comparison is a coin that the
// processor has to guess. Example: shr %rsi; comiss (%rcx,%rsi,4),%xmm0; jbe, with
// mov %rsi,%high on one side and lea 1(%rsi),%low on the other.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t Longest = 48; // instructions: a longer loop does more than to search

bool halves(const Instruction &I) {
  if (!I.Name.starts_with("SHR") && !I.Name.starts_with("SAR"))
    return false;
  const unsigned N = I.Inst.getNumOperands();
  return I.Name.ends_with("r1") || (I.Name.ends_with("ri") && I.Inst.getOperand(N - 1).getImm() == 1);
}

bool compares(const Instruction &I) {
  const StringRef Name = I.Name.starts_with("V") ? I.Name.drop_front() : I.Name;
  return Name.starts_with("CMP8") || Name.starts_with("CMP16") || Name.starts_with("CMP32") ||
         Name.starts_with("CMP64") || Name.starts_with("COMIS") || Name.starts_with("UCOMIS");
}

// How the address of a load is made, in the load's own block.
struct Slice {
  bool Halves = false;
  SmallVector<MCRegister, 8> Made;   // the registers that are written on the way
  SmallVector<MCRegister, 8> Inputs; // those that the block begins with
};

std::optional<Slice> sliceOf(const Subject &S, const Block &B, size_t Load) {
  Slice Out;
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
bool hasBounds(const Subject &S, const Block &B, const Slice &X) {
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

bool isJumpAlone(const Subject &S, const Block &B) {
  return B.End - B.First == 1 && S.F.Code[B.First].Conditional;
}

SmallVector<const Block *, 2> inside(const Subject &S, const Block &B) {
  SmallVector<const Block *, 2> Out;
  for (const Block *To : B.Successors)
    if (S.In.contains(To) && !is_contained(Out, To))
      Out.push_back(To);
  return Out;
}

// Where the two outcomes of a comparison go on. A third, equality, may leave the loop
// before or after: cmp; je found; jl, or cmp; jl; je found.
SmallVector<const Block *, 2> sidesOf(const Subject &S, const Block &B) {
  SmallVector<const Block *, 2> Out = inside(S, B);
  if (Out.size() == 1 && isJumpAlone(S, *Out[0]))
    Out = inside(S, *Out[0]);
  for (const Block *&To : Out)
    if (const auto Next = inside(S, *To); isJumpAlone(S, *To) && Next.size() == 1)
      To = Next[0];
  return Out;
}

// The comparison with what a load found, in the same block.
std::optional<size_t> comparison(const Subject &S, const Block &B, size_t Load) {
  if (compares(S.F.Code[Load]))
    return Load;
  const auto Loaded = written(S, S.F.Code[Load]);
  for (size_t N = Load + 1; N < B.End; ++N)
    if (compares(S.F.Code[N]) && any_of(Loaded, [&](MCRegister R) {
          return any_of(S.F.Code[N].Inst, [&](const MCOperand &O) {
            return O.isReg() && O.getReg() && whole(S, O.getReg()) == R;
          });
        }))
      return N;
  return std::nullopt;
}

std::string rangeEnd(const Subject &S, const Block &B) {
  constexpr size_t Behind = 2; // the clock names the instruction behind the first of a side
  return utohexstr(S.F.Code[std::min(B.First + Behind, B.End) - 1].end(), true);
}

} // namespace

void search(const Subject &S, std::vector<Match> &Out) {
  const std::vector<Place> All = own(S);
  if (!S.In.isInnermost() || All.size() > Longest || hasCall(S))
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
    const auto Sides = sidesOf(S, *P.In);
    if (Sides.size() != 2 || Sides[0]->empty() || Sides[1]->empty() || Sides[0] == Sides[1])
      continue;
    auto At = [&](const Block *B) { return utohexstr(S.F.Code[B->First].Address, true); };
    return add(Out, "machine-search", S.F.Code[P.In->End - 1],
               {{"one_low", At(Sides[0])}, {"one_high", rangeEnd(S, *Sides[0])},
                {"other_low", At(Sides[1])}, {"other_high", rangeEnd(S, *Sides[1])}});
  }
}

} // namespace whyhot::machine::rules
