#include "machine/rules/facts.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

// The System V ABI: a call leaves all others but these as they are.
bool survivesCalls(StringRef Name) {
  static const StringSet<> Kept = {"RBX",  "EBX", "BX",   "BL",   "RBP",  "EBP",  "BP",   "BPL",  "RSP",
                                   "ESP",  "RIP", "R12",  "R12D", "R12W", "R12B", "R13",  "R13D", "R13W",
                                   "R13B", "R14", "R14D", "R14W", "R14B", "R15",  "R15D", "R15W", "R15B"};
  return Kept.contains(Name);
}

std::vector<Place> placesOf(const Subject &S, bool Own) {
  std::vector<Place> Out;
  for (const Block *B : S.In.blocks())
    if (!Own || S.All.Info.getLoopFor(B) == &S.In)
      for (size_t N = B->First; N < B->End; ++N)
        Out.push_back({B, N});
  sort(Out, [](const Place &A, const Place &B) { return A.At < B.At; });
  return Out;
}

} // namespace

std::vector<Place> everything(const Subject &S) { return placesOf(S, false); }
std::vector<Place> own(const Subject &S) { return placesOf(S, true); }

bool isInvariant(const Subject &S, MCRegister R) {
  if (!R)
    return true;
  const bool Survives = survivesCalls(nameOf(S, R));
  return none_of(everything(S), [&](const Place &P) {
    const Instruction &I = S.F.Code[P.At];
    return I.Bad || (I.Call && !Survives) || (writes(I, R, *S.T.Registers) && nameOf(S, R) != "RIP");
  });
}

bool isFixed(const Subject &S, const Instruction &I) {
  return I.At && isInvariant(S, I.At->Base) && isInvariant(S, I.At->Index) && !I.At->Segment;
}

bool isStack(const Subject &S, const Memory &M) {
  const StringRef Base = M.Base ? nameOf(S, M.Base) : "";
  return Base == "RSP" || Base == "RBP";
}

bool hasCall(const Subject &S) {
  return any_of(everything(S), [&](const Place &P) { return S.F.Code[P.At].Call; });
}

bool isAlways(const Subject &S, const Block *B) {
  SmallVector<Block *, 4> Latches;
  S.In.getLoopLatches(Latches);
  return all_of(Latches, [&](const Block *L) { return S.All.Tree.dominates(B, L); });
}

StringRef nameOf(const Subject &S, MCRegister R) { return S.T.Registers->getName(R); }

std::string addressText(const Subject &S, const Memory &M) {
  std::string Out;
  if (M.Offset)
    Out = (M.Offset < 0 ? "-0x" : "0x") + utohexstr(uint64_t(M.Offset < 0 ? -M.Offset : M.Offset), true);
  Out += "(";
  if (M.Base)
    Out += "%" + nameOf(S, M.Base).lower();
  if (M.Index)
    Out += ",%" + nameOf(S, M.Index).lower() + "," + std::to_string(M.Scale);
  return Out + ")";
}

void add(std::vector<Match> &Out, const char *Rule, const Instruction &I, std::map<std::string, std::string> Facts) {
  for (Match &M : Out)
    if (M.Rule == Rule) { // one for a loop
      M.At.push_back(I.Address);
      return;
    }
  Out.push_back({Rule, {I.Address}, std::move(Facts)});
}

} // namespace whyhot::machine::rules
