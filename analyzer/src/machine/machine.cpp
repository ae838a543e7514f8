#include "machine/machine.h"

#include "machine/flow.h"
#include "machine/loops.h"
#include "machine/model.h"
#include "machine/rules/rules.h"
#include "mca/throughput.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace whyhot::machine {
namespace {

constexpr uint64_t LargestFunction = 8 << 20;

std::string textOf(const Target &T, const Instruction &I) {
  if (I.Bad)
    return "(bad)";
  SmallString<64> Text;
  raw_svector_ostream OS(Text);
  // The printer of x86 counts branches from where the next instruction is.
  T.Printer->printInst(&I.Inst, T.Triple.getArch() == Triple::x86_64 ? I.end() : I.Address, "", *T.Subtarget, OS);
  std::string Out = I.Prefix + " " + Text.str().trim().str();
  Out = StringRef(Out).trim().str();
  std::replace(Out.begin(), Out.end(), '\t', ' ');
  return Out;
}

// What a sample on an instruction is meant for. The clock's interrupt is taken when
// the oldest instruction in flight has retired, so the address is that of the one
// behind it: a sample on the instruction behind one that takes long is about that
// one. A compare and the jump behind it retire as one.
const Instruction *causeOf(const Function &F, const Block &B, size_t At) {
  const Block *In = &B;
  while (true) {
    if (At == In->First) {
      if (In->Predecessors.size() != 1 || In->Predecessors[0]->empty())
        return nullptr;
      In = In->Predecessors[0];
      At = In->End;
    }
    const Instruction &I = F.Code[--At];
    if (I.slow() != Slow::No)
      return &I;
    if (!I.Branch)
      return nullptr;
  }
}

class Writer {
public:
  Writer(Function &F, const Range &R, const Target &T, const Request &Q) : F(F), R(R), T(T), Q(Q), L(F) {}

  FunctionCode run(Image &Im) {
    FunctionCode Out;
    Out.Low = F.Low;
    Out.Unresolved = F.Unresolved;
    Out.Instructions = F.Code.size();
    for (Loop *Top : reverse(L.Info))
      add(*Top, -1, Out, Im);
    for (const auto &B : F.Blocks)
      if (!L.Info.getLoopFor(B.get()))
        for (size_t N = B->First; N < B->End; ++N)
          if (isSampled(F.Code[N]))
            Out.Outside.push_back(line(*B, N));
    for (const auto &B : F.Blocks)
      for (size_t N = B->First; N < B->End; ++N)
        if (isSampled(F.Code[N]))
          addWait(*B, N, Out, Im);
    return Out;
  }

private:
  bool isSampled(const Instruction &I) const {
    auto It = lower_bound(R.Sampled, I.Address);
    return It != R.Sampled.end() && *It < I.end();
  }

  // Samples in the loop, or on what is behind it and meant for it.
  bool isHot(const Loop &Lo) const {
    return R.Sampled.empty() || any_of(Lo.blocks(), [&](const Block *B) {
             return any_of(
                 make_range(F.Code.begin() + std::ptrdiff_t(B->First), F.Code.begin() + std::ptrdiff_t(B->End)),
                 [&](const Instruction &I) { return isSampled(I); });
           });
  }

  Line line(const Block &B, size_t N) const {
    const Instruction &I = F.Code[N];
    Line Out{I.Address, I.Size, textOf(T, I), 0};
    const Instruction *C = causeOf(F, B, N);
    if (C)
      Out.Cause = C->Address;
    return Out;
  }

  void add(Loop &Lo, int Parent, FunctionCode &Out, Image &Im) {
    if (!isHot(Lo))
      return;
    LoopCode C;
    C.Header = F.Code[Lo.getHeader()->First].Address;
    C.Parent = Parent;
    C.Depth = Lo.getLoopDepth();
    C.Innermost = Lo.isInnermost();
    std::vector<const Block *> Blocks(Lo.block_begin(), Lo.block_end());
    sort(Blocks, [](const Block *A, const Block *B) { return A->First < B->First; });
    for (const Block *B : Blocks) {
      if (B->empty())
        continue;
      const uint64_t Low = F.Code[B->First].Address, High = F.Code[B->End - 1].end();
      if (!C.Ranges.empty() && C.Ranges.back().second == Low)
        C.Ranges.back().second = High;
      else
        C.Ranges.push_back({Low, High});
      if (L.Info.getLoopFor(B) == &Lo)
        for (size_t N = B->First; N < B->End; ++N)
          C.Lines.push_back(line(*B, N));
    }
    if (Q.Cycles && Lo.isInnermost()) {
      C.Cycles = modelled(F, Lo, T, Q.Processors, C.Left);
      C.Step = rules::bytesInIteration({F, L, Lo, T, Im});
    }
    C.Matches = rules::find({F, L, Lo, T, Im});
    const int Me = int(Out.Loops.size());
    Out.Loops.push_back(std::move(C));
    for (Loop *Sub : reverse(Lo.getSubLoops()))
      add(*Sub, Me, Out, Im);
  }

  void addWait(const Block &B, size_t N, FunctionCode &Out, Image &Im) const {
    const Instruction *C = causeOf(F, B, N);
    if (!C || C->slow() != Slow::Load)
      return;
    const size_t At = size_t(C - F.Code.data());
    // The cause is in this block, or in one of those that lead here alone.
    const Block *In = &B;
    while (At < In->First || At >= In->End)
      In = In->Predecessors[0];
    std::optional<Wait> W = rules::waitOf(F, L, T, Im, *In, At);
    if (!W)
      return;
    W->Load = {C->Address, C->Size, textOf(T, *C), 0};
    W->At = F.Code[N].Address;
    W->Jumps &= N != At + 1; // a sample on the jump itself: the two did not retire as one
    Out.Waits.push_back(std::move(*W));
  }

  Function &F;
  const Range &R;
  const Target &T;
  const Request &Q;
  Loops L;
};

// Gives a function that was asked for by name its addresses, or says why it has none.
std::string resolve(const Image &Im, Range &R) {
  const std::vector<Named> Found = Im.functions(R.Symbol);
  if (Found.empty())
    return "no function " + R.Symbol;
  if (Found.size() > 1) {
    std::string Names;
    for (const Named &N : Found)
      Names += (Names.empty() ? "" : ", ") + N.Name;
    return "several functions " + R.Symbol + ": name one of " + Names;
  }
  R.Low = Found[0].Low;
  R.High = Found[0].High;
  return "";
}

} // namespace

Answer answer(const Request &R) {
  Answer Out;
  auto Im = Image::open(R.File);
  if (!Im) {
    Out.Error = R.File + ": " + toString(Im.takeError());
    return Out;
  }
  auto T = Target::make((*Im)->triple());
  if (!T) {
    Out.Error = R.File + ": " + toString(T.takeError());
    return Out;
  }
  for (const std::string &CPU : R.Processors)
    if (!mca::hasModel(*(*T)->LLVM, (*T)->Triple, CPU)) {
      Out.Error = "LLVM has no model of a processor \"" + CPU + "\" for " + (*T)->Triple.getArchName().str();
      return Out;
    }
  for (Range Wanted : R.Functions) {
    if (!Wanted.Symbol.empty())
      if (std::string Problem = resolve(**Im, Wanted); !Problem.empty()) {
        Out.Functions.push_back({});
        Out.Functions.back().Problem = Problem;
        continue;
      }
    if (Wanted.High <= Wanted.Low || Wanted.High - Wanted.Low > LargestFunction || !(*Im)->isCode(Wanted.Low)) {
      Out.Functions.push_back({});
      Out.Functions.back().Low = Wanted.Low;
      continue;
    }
    Function F = decode(**Im, **T, Wanted.Low, Wanted.High);
    connect(F, **Im, **T);
    Out.Functions.push_back(Writer(F, Wanted, **T, R).run(**Im));
  }
  return Out;
}

} // namespace whyhot::machine
