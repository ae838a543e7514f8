// Loads behind which samples gather, and where their addresses come from. The clock
// names the instruction behind the oldest one in flight (docs/decisions/0150), so a
// plain load with samples behind it was waited for; what it waited for, the way to its
// address tells. Example: movzbl (%rax,%rdx) behind shr $20,%edx is a table lookup.
#include "machine/rules/facts.h"
#include "machine/rules/slice.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

// How far back the writer of a register is looked for, in instructions.
constexpr unsigned Farthest = 64;

// An instruction that takes a cycle once what it loads is there. The others (products,
// floating-point numbers) may be what is waited for.
bool isPlain(const Instruction &I) {
  static constexpr StringRef Names[] = {"MOV8",  "MOV16", "MOV32", "MOV64", "MOVZX", "MOVSX", "MOVAP", "MOVUP",
                                        "MOVDQ", "MOVSD", "MOVSS", "MOVQ",  "MOVD",  "CMP8",  "CMP16", "CMP32",
                                        "CMP64", "TEST",  "ADD8",  "ADD16", "ADD32", "ADD64", "SUB8",  "SUB16",
                                        "SUB32", "SUB64", "XOR8",  "XOR16", "XOR32", "XOR64", "AND8",  "AND16",
                                        "AND32", "AND64", "OR8",   "OR16",  "OR32",  "OR64"};
  const StringRef Name = plainName(I);
  return !I.repeats() && !I.stores() && any_of(Names, [&](StringRef N) { return Name.starts_with(N); });
}

// A product of floating-point numbers, one of them in memory: it waits for a chain of sums before
// it, if at all, where it is added up, so that where samples gather is memory.
bool isProductOf(const Instruction &I) { return plainName(I).starts_with("MULS") || plainName(I).starts_with("MULP"); }

// mov 8(%rax),%rdx, and not add 8(%rax),%rdx, which computes.
bool fetches(const Instruction &I) { return I.loads() && I.At && I.Name.contains("MOV"); }

bool isComparison(const Instruction &I) { return I.Name.starts_with("CMP") || I.Name.starts_with("TEST"); }

// mov %rax,%rdx and movslq %eax,%rdx: what is copied.
MCRegister copied(const Instruction &I) {
  if (!I.Name.starts_with("MOV") || I.At || I.Inst.getNumOperands() != 2 || !I.Inst.getOperand(1).isReg())
    return {};
  return I.Inst.getOperand(1).getReg();
}

struct Origin {
  const Instruction *Writer = nullptr; // null: several ways lead here, or the function begins
  unsigned Distance = 0;               // instructions from it to the load
};

class Search {
public:
  Search(Function &F, const Loops &All, const Target &T, Image &Im, const Block &In, size_t At)
      : F(F), All(All), T(T), Im(Im), In(In), At(At), Around(All.Info.getLoopFor(&In)) {}

  std::optional<Wait> run() const {
    const Instruction &L = F.Code[At];
    if (!L.At || !L.At->Bytes || L.At->Segment || !L.At->Base || L.IsRelative || isFrame(L.At->Base) ||
        (!isPlain(L) && !isProductOf(L)))
      return std::nullopt;
    if (Around) {
      const Subject S{F, All, *Around, T, Im};
      if (const auto Step = stepAlong(S); Step && *Step <= Line && startsElsewhere() && isPlain(L)) {
        Wait Out;
        Out.Kind = "run";
        Out.Element = *Step;
        return Out;
      }
      if (strideOf(S, L)) // prefetchers see that, or machine-stride does
        return std::nullopt;
    }
    Wait Out;
    const Origin Base = origin(L.At->Base);
    Out.Ahead = Base.Distance;
    if (L.At->Index) {
      Out.Kind = "table";
      if (const Origin Index = origin(L.At->Index); Index.Distance < Out.Ahead)
        Out.Ahead = Index.Distance;
    } else if (const auto Kind = kindOf(Base)) {
      Out.Kind = *Kind;
    } else {
      return std::nullopt;
    }
    if (Out.Kind == "table" && Around && isSearch())
      Out.Kind = "chase";
    else if (Out.Kind == "table" && Around && isRow())
      Out.Kind = "rows";
    if (!isPlain(L) && Out.Kind != "rows")
      return std::nullopt;
    if (Out.Kind == "table")
      setElement(Out);
    Out.Jumps = isComparison(L) && At + 1 < In.End && F.Code[At + 1].Conditional;
    return Out;
  }

private:
  bool overlap(MCRegister A, MCRegister B) const { return A && B && T.Registers->regsOverlap(A, B); }
  bool isFrame(MCRegister R) const {
    const StringRef Name = T.Registers->getName(R);
    return Name == "RSP" || (Name == "RBP" && F.HasFramePointer);
  }
  bool changes(const Instruction &I, MCRegister R) const { return I.Call || I.Bad || writes(I, R, *T.Registers); }

  // Goes to the instruction before, on through blocks that one other leads to; false where several
  // ways lead here, or the function begins.
  bool goBack(const Block *&B, size_t &N) const {
    for (unsigned Empty = 0; N == B->First; ++Empty) {
      if (B->Predecessors.size() != 1 || B->Predecessors[0] == &In || Empty == Farthest)
        return false;
      B = B->Predecessors[0];
      N = B->End;
    }
    --N;
    return true;
  }

  // What wrote a register, through copies and constants that are added: the address is
  // known from there on.
  Origin origin(MCRegister R) const {
    const Block *B = &In;
    size_t N = At;
    for (unsigned Distance = 0; Distance < Farthest; ++Distance) {
      if (!goBack(B, N))
        return {nullptr, Distance};
      const Instruction &I = F.Code[N];
      if (!changes(I, R))
        continue;
      if (const MCRegister From = copied(I)) {
        R = From;
        continue;
      }
      if (!isConstantStep(I, R))
        return {&I, Distance};
    }
    return {nullptr, Farthest};
  }

  bool isConstantStep(const Instruction &I, MCRegister R) const {
    if (I.Call || I.Bad)
      return false;
    const StringRef Name = I.Name;
    if (Name.starts_with("LEA"))
      return I.At && !I.At->Index && overlap(I.At->Base, R);
    if (Name.starts_with("INC") || Name.starts_with("DEC"))
      return true;
    const unsigned Operands = I.Inst.getNumOperands();
    return (Name.starts_with("ADD") || Name.starts_with("SUB")) && Operands && I.Inst.getOperand(Operands - 1).isImm();
  }

  std::optional<std::string> kindOf(const Origin &O) const {
    const Instruction &L = F.Code[At];
    if (!O.Writer)
      return Around ? inLoop(L.At->Base) : std::optional<std::string>("object");
    if (O.Writer->Call || O.Writer->Bad)
      return "object";
    if (!fetches(*O.Writer))
      return "table"; // computed
    const bool SameRegister = overlap(O.Writer->At->Base, L.At->Base);
    return Around && Around->contains(blockOf(*O.Writer)) && (SameRegister || isChase(*O.Writer)) &&
                   isOwnSource(O.Writer->At->Base)
               ? "chase"
               : "pointer";
  }

  const Block *blockOf(const Instruction &I) const {
    const size_t N = size_t(&I - F.Code.data());
    const Block *B = &In; // origin() went back through single predecessors
    while (N < B->First || N >= B->End)
      B = B->Predecessors[0];
    return B;
  }

  // A number of times something: what wrote it, or a register that is older.
  struct Multiple {
    const Instruction *Of;
    MCRegister Register;
    int64_t Times;

    bool isOfSame(const Multiple &M) const { return Of == M.Of && (Of || Register == M.Register); }
  };

  // What a register is a multiple of before an instruction, through shifts, products and sums of
  // one value. Example: lea (%rax,%rax,8),%rdx; lea (%rax,%rdx,2),%rax; shl $4,%rax: 304 times.
  std::optional<Multiple> multiple(MCRegister R, const Block *B, size_t N, unsigned Deep = 0) const {
    constexpr unsigned Deepest = 8;
    if (Deep > Deepest)
      return std::nullopt;
    for (unsigned Distance = 0; Distance < Farthest; ++Distance) {
      if (!goBack(B, N))
        return Multiple{nullptr, R, 1};
      const Instruction &I = F.Code[N];
      if (!changes(I, R))
        continue;
      auto Of = [&](MCRegister From) { return multiple(From, B, N, Deep + 1); };
      if (const MCRegister From = copied(I))
        return Of(From);
      const bool Shifts = I.Name.starts_with("SHL"), Multiplies = I.Name.starts_with("IMUL");
      if ((Shifts || Multiplies) && !I.At && I.Inst.getNumOperands() == 3 && I.Inst.getOperand(1).isReg() &&
          I.Inst.getOperand(2).isImm()) {
        const int64_t By = I.Inst.getOperand(2).getImm();
        auto M = Of(I.Inst.getOperand(1).getReg());
        if (!M || By <= 0 || By > (Shifts ? 20 : Largest))
          return std::nullopt;
        M->Times *= Shifts ? int64_t(1) << By : By;
        return M->Times <= Largest ? M : std::nullopt;
      }
      if (I.Name.starts_with("LEA") && I.At && I.At->Index && !I.At->Segment) {
        const auto Index = Of(I.At->Index);
        const auto Base = I.At->Base ? Of(I.At->Base) : Index;
        if (!Index || !Base || !Index->isOfSame(*Base))
          return Multiple{&I, R, 1};
        const int64_t Times = Index->Times * I.At->Scale + (I.At->Base ? Base->Times : 0);
        return Times <= Largest ? std::optional(Multiple{Index->Of, Index->Register, Times}) : std::nullopt;
      }
      return Multiple{&I, R, 1};
    }
    return std::nullopt;
  }

  // The bytes of an element, where the index is multiplied by them, and what of them is loaded by
  // the same registers in the loop, or in the block.
  void setElement(Wait &Out) const {
    const Memory &L = *F.Code[At].At;
    for (const auto &[R, Scale] : {std::pair(L.Index, L.Scale), std::pair(L.Base, int64_t(1))})
      if (const auto M = R ? multiple(R, &In, At) : std::nullopt; M && M->Times * Scale >= Least)
        Out.Element = M->Times * Scale;
    if (!Out.Element)
      return;
    SmallVector<const Block *, 8> Blocks{&In};
    if (Around)
      Blocks.assign(Around->block_begin(), Around->block_end());
    SmallVector<std::pair<int64_t, unsigned>, 8> Seen;
    for (const Block *B : Blocks)
      for (const Instruction &I : ArrayRef(F.Code).slice(B->First, B->End - B->First)) {
        if (!I.At || (!I.loads() && !I.stores()) || I.At->Base != L.Base || I.At->Index != L.Index ||
            I.At->Scale != L.Scale || is_contained(Seen, std::pair(I.At->Offset, I.At->Bytes)))
          continue;
        Seen.push_back({I.At->Offset, I.At->Bytes});
        Out.Used += I.At->Bytes;
      }
  }
  static constexpr int64_t Least = 64, Largest = 1 << 20; // bytes of an element

  static constexpr int64_t Line = 64; // bytes of a cache line

  // The bytes by which each pass moves the address; nothing where that is not always a constant. A
  // loop with "continue" in it may have several instructions for it.
  std::optional<int64_t> stepAlong(const Subject &S) const {
    const Instruction &L = F.Code[At];
    if (const auto Stride = strideOf(S, L))
      return std::abs(*Stride);
    if (L.At->Index || isInvariant(S, L.At->Base) || !writersOf(L.At->Base).empty())
      return std::nullopt;
    int64_t Most = 0;
    for (const Place &P : everything(S)) {
      const Instruction &I = F.Code[P.At];
      const unsigned Operands = I.Inst.getNumOperands();
      if (!I.Call && !I.Bad && writes(I, L.At->Base, *T.Registers))
        Most = std::max(Most, I.At ? std::abs(I.At->Offset)
                              : I.Inst.getOperand(Operands - 1).isImm()
                                  ? std::abs(I.Inst.getOperand(Operands - 1).getImm())
                                  : int64_t(1));
    }
    return Most;
  }

  // The loop around goes from one row to the next by pointers that it loads: where each row
  // begins, no prefetcher knows. Example: for (i…) for (row = rows[i].items, j…) sum += row[j];
  bool startsElsewhere() const {
    const Loop *Outer = Around->getParentLoop();
    if (!Outer)
      return false;
    const Subject S{F, All, *Outer, T, Im};
    return any_of(Outer->blocks(), [&](const Block *B) {
      return !Around->contains(B) &&
             any_of(ArrayRef(F.Code).slice(B->First, B->End - B->First), [&](const Instruction &I) {
               return fetches(I) && writes(I, F.Code[At].At->Base, *T.Registers) && !isFixed(S, I) &&
                      !isStack(S, *I.At);
             });
    });
  }

  // The address comes from a load whose own address comes from it an iteration before: a
  // walk by indices, down a tree or along a chain.
  bool isSearch() const {
    const Subject S{F, All, *Around, T, Im};
    const Slice Of(S, In, At);
    return any_of(Of.places(), [&](const Place &P) {
      const Instruction &I = F.Code[P.At];
      return I.loads() && I.At && !isStack(S, *I.At) && Slice(S, *P.In, P.At).has(P.At);
    });
  }

  // Each pass adds a register that the loop does not change to the address, or multiplies a
  // counter by one: the next element is a row further. What else the address is made of
  // stays, or moves by constants.
  bool isRow() const {
    const Subject S{F, All, *Around, T, Im};
    bool Is = false;
    for (const MCRegister R : {F.Code[At].At->Base, F.Code[At].At->Index}) {
      if (!R || isKept(S, R))
        continue;
      for (const Instruction *I : writersOf(R)) {
        if (!addsInvariant(S, *I, R))
          return isProduct(S);
        Is = true;
      }
    }
    return Is;
  }

  bool addsInvariant(const Subject &S, const Instruction &I, MCRegister R) const {
    if (I.Name.starts_with("LEA"))
      return I.At && I.At->Scale == 1 && !I.At->Segment &&
             ((overlap(I.At->Base, R) && isKept(S, I.At->Index)) || (overlap(I.At->Index, R) && isKept(S, I.At->Base)));
    if (!I.Name.starts_with("ADD") && !I.Name.starts_with("SUB"))
      return false;
    if (I.At) // add (%rdi),%rax: the width is in memory
      return I.loads() && !I.stores() && isFixed(S, I);
    return all_of(read(S, I), [&](MCRegister From) { return overlap(From, R) || isKept(S, From); });
  }

  // y * width + x, computed in each pass; y may be kept between two bounds.
  bool isProduct(const Subject &S) const {
    const Slice Of(S, In, At);
    bool Is = false, Rows = false, Steps = false, Bounded = true;
    for (const Place &P : Of.places()) {
      const Instruction &I = F.Code[P.At];
      if (I.Name.starts_with("IMUL")) {
        const auto From = read(S, I);
        Is |= !From.empty() && all_of(From, [&](MCRegister R) {
          return isKept(S, R) || stepOf(S, whole(S, R)) || isFixedLoad(S, P, R);
        });
        Rows |= any_of(From, [&](MCRegister R) { return isKept(S, R); });
      } else if (I.loads() && I.At && !isFixed(S, I) && !isStack(S, *I.At)) {
        return false; // by an index from memory
      } else if (I.Name.starts_with("SHR") || I.Name.starts_with("AND") || I.Name.starts_with("XOR")) {
        return false; // a hash
      } else {
        Bounded &= any_of(ArrayRef<StringRef>{"ADD", "SUB", "LEA", "MOV", "CMOV", "CDQE", "CMP", "TEST", "JCC"},
                          [&](StringRef Name) { return I.Name.starts_with(Name); });
        Steps |= any_of(read(S, I), [&](MCRegister R) { return stepOf(S, whole(S, R)).has_value(); });
      }
    }
    return Is || (Rows && Steps && Bounded);
  }

  // The register's value before an instruction is loaded from a place that is the same in
  // all passes.
  bool isFixedLoad(const Subject &S, const Place &Before, MCRegister R) const {
    for (size_t N = Before.At; N-- > Before.In->First;)
      if (const Instruction &I = F.Code[N]; writes(I, R, *T.Registers))
        return fetches(I) && isFixed(S, I);
    return false;
  }

  // The register has one value throughout the loop, though a call on a side way makes the
  // compiler keep it on the stack meanwhile.
  bool isKept(const Subject &S, MCRegister R) const {
    return isInvariant(S, R) || all_of(everything(S), [&](const Place &P) {
             const Instruction &I = F.Code[P.At];
             return !I.Bad && (!writes(I, R, *T.Registers) || (fetches(I) && isStack(S, *I.At)));
           });
  }

  // The load gives what it is addressed by in the next iteration.
  bool isChase(const Instruction &I) const { return fetches(I) && writes(I, I.At->Base, *T.Registers); }

  // Whether all that gives a register a value in the loop is loaded from where it points to:
  // mov 8(%rax),%rax. Of mov (%rsp),%rax; mov (%rax),%rax the first says where to begin, each time.
  bool isOwnSource(MCRegister R) const {
    return all_of(writersOf(R),
                  [&](const Instruction *I) { return copied(*I) || (fetches(*I) && overlap(I->At->Base, R)); });
  }

  // What writes a register in the loop, constants that are added left out.
  SmallVector<const Instruction *, 8> writersOf(MCRegister R) const {
    SmallVector<const Instruction *, 8> Out;
    for (const Block *B : Around->blocks())
      for (size_t N = B->First; N < B->End; ++N) {
        const Instruction &I = F.Code[N];
        if (!I.Call && !I.Bad && writes(I, R, *T.Registers) && !isConstantStep(I, R))
          Out.push_back(&I);
      }
    return Out;
  }

  // Of a register that several ways give a value, by all that write it in the loop, of
  // copies what they copy: nothing where that are constants alone, a walk that
  // prefetchers see.
  std::optional<std::string> inLoop(MCRegister R) const {
    bool Loads = false, Computes = false, Chases = isChase(F.Code[At]);
    const auto See = [&](const Instruction &I) {
      Chases |= fetches(I) && overlap(I.At->Base, R);
      Loads |= fetches(I);
      Computes |= !fetches(I);
    };
    for (const Instruction *I : writersOf(R)) {
      const MCRegister Source = copied(*I);
      if (!Source)
        See(*I);
      else
        for (const Instruction *From : writersOf(Source))
          See(*From);
    }
    if (Chases)
      return "chase";
    if (Loads)
      return "pointer";
    if (Computes)
      return "table";
    return std::nullopt;
  }

  Function &F;
  const Loops &All;
  const Target &T;
  Image &Im;
  const Block &In;
  size_t At;
  const Loop *Around;
};

} // namespace

std::optional<Wait> waitOf(Function &F, const Loops &All, const Target &T, Image &Im, const Block &In, size_t At) {
  if (T.Triple.getArch() != Triple::x86_64)
    return std::nullopt;
  return Search(F, All, T, Im, In, At).run();
}

} // namespace whyhot::machine::rules
