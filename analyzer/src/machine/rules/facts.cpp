#include "machine/rules/facts.h"

#include "llvm/ADT/MapVector.h"
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

// Not a register of flags or modes, and not the stack's.
bool isData(StringRef Name) {
  static const StringSet<> Others = {"EFLAGS", "DF", "MXCSR", "FPSW", "FPCW", "SSP", "RSP", "RIP", "EIP"};
  return !Others.contains(Name);
}

const LoopFacts &listed(const Subject &S) {
  LoopFacts &Known = S.In.Known;
  if (Known.Listed)
    return Known;
  Known.Listed = true;
  std::vector<const Block *> Blocks(S.In.block_begin(), S.In.block_end());
  sort(Blocks, [](const Block *A, const Block *B) { return A->First < B->First; });
  for (const Block *B : Blocks) {
    const bool IsOwn = S.All.Info.getLoopFor(B) == &S.In;
    for (size_t N = B->First; N < B->End; ++N) {
      Known.Everything.push_back({B, N});
      if (IsOwn)
        Known.Own.push_back({B, N});
    }
  }
  return Known;
}

} // namespace

const std::vector<Place> &everything(const Subject &S) { return listed(S).Everything; }
const std::vector<Place> &own(const Subject &S) { return listed(S).Own; }

SmallVector<const Block *, 2> inside(const Subject &S, const Block &B) {
  SmallVector<const Block *, 2> Out;
  for (const Block *To : B.Successors)
    if (S.In.contains(To) && !is_contained(Out, To))
      Out.push_back(To);
  return Out;
}

StringRef plainName(const Instruction &I) { return I.Name.starts_with("V") ? I.Name.drop_front() : I.Name; }

bool isInvariant(const Subject &S, MCRegister R) {
  if (!R)
    return true;
  const auto [At, IsNew] = S.In.Known.Invariant.try_emplace(R.id(), false);
  if (!IsNew)
    return At->second;
  const bool Survives = survivesCalls(nameOf(S, R)), IsCounter = nameOf(S, R) == "RIP";
  return At->second = none_of(everything(S), [&](const Place &P) {
           const Instruction &I = S.F.Code[P.At];
           return I.Bad || (I.Call && !Survives) || (!IsCounter && writes(I, R, *S.T.Registers));
         });
}

bool isFixed(const Subject &S, const Instruction &I) {
  return I.At && isInvariant(S, I.At->Base) && isInvariant(S, I.At->Index) && !I.At->Segment;
}

bool isStack(const Subject &S, const Memory &M) {
  const StringRef Base = M.Base ? nameOf(S, M.Base) : "";
  return Base == "RSP" || (Base == "RBP" && S.F.HasFramePointer);
}

bool loadsElement(const Subject &S, const Instruction &I) {
  return I.loads() && I.At && !I.At->Segment && !isFixed(S, I) && !isStack(S, *I.At);
}

bool hasCall(const Subject &S) {
  return any_of(everything(S), [&](const Place &P) { return S.F.Code[P.At].Call; });
}

bool isAlways(const Subject &S, const Block *B) {
  SmallVector<Block *, 4> Latches;
  S.In.getLoopLatches(Latches);
  return all_of(Latches, [&](const Block *L) { return S.All.Tree.dominates(B, L); });
}

MCRegister whole(const Subject &S, MCRegister R) {
  MCRegister Out = R;
  for (MCPhysReg Super : S.T.Registers->superregs_inclusive(R))
    Out = Super; // the last is the largest
  return Out;
}

std::vector<MCRegister> written(const Subject &S, const Instruction &I) {
  std::vector<MCRegister> Out;
  if (I.Bad)
    return Out;
  for (unsigned N = 0; N < I.Desc->getNumDefs() && N < I.Inst.getNumOperands(); ++N)
    if (I.Inst.getOperand(N).isReg() && I.Inst.getOperand(N).getReg())
      Out.push_back(whole(S, I.Inst.getOperand(N).getReg()));
  for (MCPhysReg R : I.Desc->implicit_defs())
    if (isData(nameOf(S, R)) && !is_contained(Out, whole(S, R)))
      Out.push_back(whole(S, R));
  return Out;
}

SmallVector<MCRegister, 4> read(const Subject &S, const Instruction &I) {
  SmallVector<MCRegister, 4> Out;
  if (I.Bad)
    return Out;
  for (unsigned N = I.Desc->getNumDefs(); N < I.Inst.getNumOperands(); ++N)
    if (I.Inst.getOperand(N).isReg() && I.Inst.getOperand(N).getReg())
      Out.push_back(I.Inst.getOperand(N).getReg());
  // A shift by %cl names no register.
  for (MCPhysReg R : I.Desc->implicit_uses())
    if (isData(nameOf(S, R)))
      Out.push_back(R);
  return Out;
}

bool setsFlags(const Subject &S, const Instruction &I) {
  return any_of(I.Desc->implicit_defs(), [&](MCPhysReg R) { return nameOf(S, R) == "EFLAGS"; });
}

std::optional<int64_t> added(const Subject &S, const Instruction &I, MCRegister R) {
  const unsigned N = I.Inst.getNumOperands();
  if (I.Name.starts_with("INC"))
    return 1;
  if (I.Name.starts_with("DEC"))
    return -1;
  if ((I.Name.starts_with("ADD") || I.Name.starts_with("SUB")) && N == 3 && I.Inst.getOperand(2).isImm())
    return I.Name.starts_with("ADD") ? I.Inst.getOperand(2).getImm() : -I.Inst.getOperand(2).getImm();
  // add $1,%rax has a form without an operand for the register.
  if ((I.Name.starts_with("ADD") || I.Name.starts_with("SUB")) && N == 1 && I.Inst.getOperand(0).isImm())
    return I.Name.starts_with("ADD") ? I.Inst.getOperand(0).getImm() : -I.Inst.getOperand(0).getImm();
  if (I.Name.starts_with("LEA") && I.At && !I.At->Index && I.At->Base && whole(S, I.At->Base) == R)
    return I.At->Offset;
  return std::nullopt;
}

// The only instruction that writes a register, in every iteration.
static std::optional<Place> onlyWriter(const Subject &S, MCRegister R) {
  const bool Survives = survivesCalls(nameOf(S, R));
  std::optional<Place> Only;
  for (const Place &P : everything(S)) {
    const Instruction &I = S.F.Code[P.At];
    if (I.Bad || (I.Call && !Survives))
      return std::nullopt;
    if (!writes(I, R, *S.T.Registers))
      continue;
    if (Only || !isAlways(S, P.In) || S.All.Info.getLoopFor(P.In) != &S.In)
      return std::nullopt;
    Only = P;
  }
  return Only;
}

std::optional<int64_t> stepOf(const Subject &S, MCRegister R) {
  if (isInvariant(S, R))
    return 0;
  const auto Only = onlyWriter(S, R);
  if (!Only)
    return std::nullopt;
  const Instruction &I = S.F.Code[Only->At];
  // lea 1(%rax),%rdx; …; mov %rdx,%rax
  if (I.Name.starts_with("MOV") && I.Name.ends_with("rr") && I.Inst.getNumOperands() == 2)
    if (const auto From = onlyWriter(S, I.Inst.getOperand(1).getReg()))
      if (const Instruction &Next = S.F.Code[From->At]; Next.Name.starts_with("LEA"))
        return added(S, Next, whole(S, R));
  return added(S, I, whole(S, R));
}

std::optional<int64_t> strideOf(const Subject &S, const Instruction &I) {
  if (!I.At || I.At->Segment)
    return std::nullopt;
  const auto Base = stepOf(S, I.At->Base), Index = stepOf(S, I.At->Index);
  if (!Base || !Index)
    return std::nullopt;
  return *Base + *Index * I.At->Scale;
}

std::vector<Strided> stridesOf(const Subject &S, int64_t Least, int64_t Below) {
  MapVector<std::pair<unsigned, unsigned>, Strided> By;
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    if ((!I.loads() && !I.stores()) || !I.At || I.Call || !I.At->Bytes)
      continue;
    const auto Stride = strideOf(S, I);
    if (!Stride || std::abs(*Stride) < Least || std::abs(*Stride) >= Below)
      continue;
    Strided &W = By[{I.At->Base.id(), I.At->Index.id()}];
    W.Step = std::abs(*Stride);
    W.Used.push_back({I.At->Offset, I.At->Bytes});
    if (I.loads())
      W.Loads.push_back(&I);
  }
  std::vector<Strided> Out;
  for (auto &[Registers, W] : By)
    Out.push_back(std::move(W));
  return Out;
}

int64_t bytesInIteration(const Subject &S) {
  int64_t Out = 0;
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    if ((I.loads() || I.stores()) && !I.Call)
      Out = std::max(Out, std::abs(strideOf(S, I).value_or(0)));
  }
  return Out;
}

Flow::Flow(const Subject &S) : S(S), Code(own(S)) {}

std::optional<size_t> Flow::writer(MCRegister R, size_t Before) const {
  const MCRegister Wanted = whole(S, R);
  for (size_t K = 1; K <= Code.size(); ++K) {
    const size_t N = (Before + Code.size() - K) % Code.size();
    if (is_contained(written(S, at(N)), Wanted))
      return N;
  }
  return std::nullopt;
}

SmallVector<size_t, 4> Flow::sources(size_t N) const {
  SmallVector<size_t, 4> Out;
  for (const MCRegister R : read(S, at(N)))
    if (const auto W = writer(R, N); W && !is_contained(Out, *W))
      Out.push_back(*W);
  return Out;
}

bool Flow::feeds(size_t From, size_t To) const {
  std::vector<bool> Seen(Code.size());
  SmallVector<size_t, 16> Todo(sources(To));
  while (!Todo.empty()) {
    const size_t N = Todo.pop_back_val();
    if (N == From)
      return true;
    if (Seen[N])
      continue;
    Seen[N] = true;
    Todo.append(sources(N));
  }
  return false;
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

void add(std::vector<Match> &Out, RuleId Rule, const Instruction &I, std::map<std::string, std::string> Facts) {
  for (Match &M : Out)
    if (M.Rule == Rule.str()) { // one for a loop
      M.At.push_back(I.Address);
      return;
    }
  Out.push_back({Rule.str().str(), {I.Address}, std::move(Facts)});
}

} // namespace whyhot::machine::rules
