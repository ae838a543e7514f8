// Walks of a linked list: where the next element is was loaded from the one before, or is
// given by a call that takes it. A register is followed backwards through all that write
// it in the loop: copies, constants that are added, and loads at one offset, which must
// come back to the register (def-use chains, as in any induction variable analysis).
// Example: mov (%rax),%rax; test %rax,%rax; je end; cmp %rdx,8(%rax); jne.
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

constexpr size_t LongestWalk = 40; // instructions: a longer loop does more than to walk

bool isCopy(const Instruction &I) { return I.Name == "MOV64rr"; }

// mov 8(%rax),%rdx: a pointer out of an object.
bool fetches(const Subject &S, const Instruction &I) {
  return I.Name == "MOV64rm" && I.At && I.At->Base && !I.At->Index && !I.At->Segment && !I.IsRelative &&
         !isStack(S, *I.At);
}

MCRegister named(const Subject &S, StringRef Name) {
  for (unsigned R = 1; R < S.T.Registers->getNumRegs(); ++R)
    if (S.T.Registers->getName(R) == Name)
      return R;
  return {};
}

// How a register comes to its value in the next iteration.
class Chain {
public:
  explicit Chain(const Subject &S) : S(S), Result(named(S, "RAX")), Argument(named(S, "RDI")) {}

  // The step that leads from element to element, nothing where the register is no walk's.
  const Instruction *step(MCRegister From) {
    Known.assign({From});
    for (size_t N = 0; N < Known.size(); ++N)
      if (!follow(Known[N]))
        return nullptr;
    return Step && comesBack() ? Step : nullptr;
  }

private:
  void want(MCRegister R) {
    if (!is_contained(Known, R))
      Known.push_back(R);
  }

  // All that write a register have to be parts of a walk, and something has to.
  bool follow(MCRegister R) {
    bool Written = false;
    for (const Place &P : own(S)) {
      const Instruction &I = S.F.Code[P.At];
      if (I.Call && R == Result) {
        Written = true;
        want(Argument);
        if (!isStep(I, std::nullopt))
          return false;
      } else if (is_contained(written(S, I), R)) {
        Written = true;
        if (isCopy(I))
          want(whole(S, I.Inst.getOperand(1).getReg()));
        else if (fetches(S, I)) {
          want(whole(S, I.At->Base));
          if (!isStep(I, I.At->Offset))
            return false;
        } else if (!added(S, I, R))
          return false;
      }
    }
    return Written;
  }

  // Children of a tree are at two offsets, the next element of a list is at one.
  bool isStep(const Instruction &I, std::optional<int64_t> Offset) {
    if (Step && At != Offset)
      return false;
    Step = &I;
    At = Offset;
    return true;
  }

  // Is what the step gives what it takes? An array of pointers has a load, too.
  bool comesBack() const {
    const MCRegister Gives = Step->Call ? Result : written(S, *Step).front();
    const MCRegister Takes = Step->Call ? Argument : whole(S, Step->At->Base);
    SmallVector<MCRegister, 8> Way{Takes};
    for (size_t N = 0; N < Way.size(); ++N) {
      if (Way[N] == Gives)
        return true;
      for (const Place &P : own(S)) {
        const Instruction &I = S.F.Code[P.At];
        if (isCopy(I) && is_contained(written(S, I), Way[N])) {
          const MCRegister Source = whole(S, I.Inst.getOperand(1).getReg());
          if (!is_contained(Way, Source))
            Way.push_back(Source);
        }
      }
    }
    return false;
  }

  const Subject &S;
  const MCRegister Result, Argument; // of a call
  SmallVector<MCRegister, 8> Known;
  const Instruction *Step = nullptr;
  std::optional<int64_t> At; // the offset of the next element's address
};

void walk(const Subject &S, std::vector<Match> &Out) {
  const std::vector<Place> &All = own(S);
  if (!S.In.isInnermost() || All.size() > LongestWalk)
    return;
  for (const Place &P : All) { // to change each element is work of its own
    const Instruction &I = S.F.Code[P.At];
    if (I.Bad || (I.stores() && !I.Call && !(I.At && isStack(S, *I.At))))
      return;
  }
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (!I.Call && !fetches(S, I))
      continue;
    const MCRegister From = I.Call ? named(S, "RAX") : whole(S, I.At->Base);
    if (const Instruction *Step = Chain(S).step(From))
      return add(Out, "machine-walk", *Step, {{"by", Step->Call ? "call" : "load"}});
  }
}

const Registered<Rule> WalkRule("walk", walk);

} // namespace
} // namespace whyhot::machine::rules
