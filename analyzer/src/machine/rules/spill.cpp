// Values that live on the stack because the registers run out: a slot that an
// iteration stores to and loads from, in a loop that uses nearly all registers of the
// kind. Without the last, it could be an array, a volatile, or code that nobody
// optimised.
#include "machine/rules/facts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t LongestSpilling = 400; // instructions: a longer loop is an interpreter's, or holds many things
constexpr size_t ManyGeneral = 13;      // of 16; one is the stack's, one may be the frame's
constexpr size_t ManyVectors = 15;      // of 16

bool isVector(StringRef Name) { return Name.starts_with("XMM") || Name.starts_with("YMM") || Name.starts_with("ZMM"); }

void spill(const Subject &S, std::vector<Match> &Out) {
  const std::vector<Place> &All = own(S);
  if (!S.In.isInnermost() || All.size() > LongestSpilling || hasCall(S))
    return;
  SmallSet<unsigned, 32> General, Vectors;
  struct Slot {
    const Instruction *Store = nullptr;
    SmallVector<const Instruction *, 4> Loads;
    bool OfVectors = false;
  };
  MapVector<std::pair<unsigned, int64_t>, Slot> Slots;
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (I.Bad)
      return;
    bool OfVectors = false;
    for (unsigned N = 0; N < I.Inst.getNumOperands(); ++N) {
      if (!I.Inst.getOperand(N).isReg() || !I.Inst.getOperand(N).getReg())
        continue;
      const MCRegister R = whole(S, I.Inst.getOperand(N).getReg());
      const StringRef Name = nameOf(S, R);
      OfVectors |= isVector(Name);
      if (isVector(Name))
        Vectors.insert(R.id());
      else if (Name.starts_with("R") && Name != "RIP")
        General.insert(R.id());
    }
    if (!I.At || I.At->Index || !isStack(S, *I.At) || I.At->Bytes < 4 || !isFixed(S, I))
      continue;
    Slot &To = Slots[{I.At->Base.id(), I.At->Offset}];
    if (I.stores() && !I.loads() && I.Name.starts_with(OfVectors ? "" : "MOV") && I.Name.ends_with("mr")) {
      To.Store = &I;
      To.OfVectors = OfVectors;
    } else if (I.loads()) {
      To.Loads.push_back(&I);
    }
  }
  size_t Found = 0;
  for (const auto &[Where, X] : Slots)
    Found +=
        X.Store && !X.Loads.empty() && (X.OfVectors ? Vectors.size() >= ManyVectors : General.size() >= ManyGeneral);
  for (const auto &[Where, X] : Slots)
    if (X.Store && (X.OfVectors ? Vectors.size() >= ManyVectors : General.size() >= ManyGeneral))
      for (const Instruction *I : X.Loads)
        add(Out, "machine-spill", *I, {{"slots", std::to_string(Found)}});
}

const Registered<Rule> SpillRule("spill", spill);

} // namespace
} // namespace whyhot::machine::rules
