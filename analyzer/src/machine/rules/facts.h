// What rules ask of a loop's registers and memory.
#pragma once

#include "machine/rules/rules.h"
#include "rule_id.h"

namespace whyhot::machine::rules {

constexpr int64_t Page = 4096; // bytes, the smallest

// The instructions of the loop, by address: all, or without the loops in it.
const std::vector<Place> &everything(const Subject &S);
const std::vector<Place> &own(const Subject &S);

// The register has one value throughout the loop. Calls change those that the ABI
// lets them.
bool isInvariant(const Subject &S, llvm::MCRegister R);
// Of memory: its address is the same in every iteration.
bool isFixed(const Subject &S, const Instruction &I);
bool isStack(const Subject &S, const Memory &M);
// A load by an address that moves, neither of the stack nor of the thread.
bool loadsElement(const Subject &S, const Instruction &I);
bool hasCall(const Subject &S);
// The block runs in every iteration.
bool isAlways(const Subject &S, const Block *B);

// The blocks that follow a block and are in the loop, each once.
llvm::SmallVector<const Block *, 2> inside(const Subject &S, const Block &B);

// LLVM's name of the operation, for AVX that of the one without: VMULSDrr is MULSDrr.
llvm::StringRef plainName(const Instruction &I);

// A register by its full one: eax, ax and al are one.
llvm::MCRegister whole(const Subject &S, llvm::MCRegister R);
// The whole registers that an instruction writes, flags left out.
std::vector<llvm::MCRegister> written(const Subject &S, const Instruction &I);
// The registers that an instruction reads, those of addresses as well, flags left out.
llvm::SmallVector<llvm::MCRegister, 4> read(const Subject &S, const Instruction &I);
bool setsFlags(const Subject &S, const Instruction &I);
// What an instruction adds to a whole register, where it is no more than that.
std::optional<int64_t> added(const Subject &S, const Instruction &I, llvm::MCRegister R);
// What an iteration adds to a register: 0 where it is invariant, nothing where it is
// changed in another way.
std::optional<int64_t> stepOf(const Subject &S, llvm::MCRegister R);
// By how many bytes the address of an access moves in an iteration.
std::optional<int64_t> strideOf(const Subject &S, const Instruction &I);

// The accesses by one pair of address registers, of the loop itself.
struct Strided {
  int64_t Step = 0;                                       // bytes by which an iteration moves them
  llvm::SmallVector<std::pair<int64_t, int64_t>, 8> Used; // offset and bytes of each
  llvm::SmallVector<const Instruction *, 8> Loads;
};

// Those whose step is at least so many bytes and less than the other number.
std::vector<Strided> stridesOf(const Subject &S, int64_t Least, int64_t Below);

// What a loop's instructions hand to each other in registers. Of several blocks it
// takes the last writer by address: exact in a loop of one block.
class Flow {
public:
  explicit Flow(const Subject &S);

  const std::vector<Place> &code() const { return Code; }
  const Instruction &at(size_t N) const { return S.F.Code[Code[N].At]; }
  // The instructions whose results an instruction reads, by index in code().
  llvm::SmallVector<size_t, 4> sources(size_t N) const;
  // The one that wrote a register before an instruction, or in the iteration before.
  std::optional<size_t> writer(llvm::MCRegister R, size_t Before) const;
  // Does the result of From reach To, through any others?
  bool feeds(size_t From, size_t To) const;

private:
  const Subject &S;
  const std::vector<Place> &Code;
};

llvm::StringRef nameOf(const Subject &S, llvm::MCRegister R);
// What the registers of an address are, as the assembler writes it: 0x10(%rax,%rcx,8).
std::string addressText(const Subject &S, const Memory &M);

// The rule machine-few-iterations, which another rule asks as well: what it finds is a
// remainder, and not a loop that could be vectorised.
void remainder(const Subject &S, std::vector<Match> &Out);
// The rule machine-search, which another rule asks as well: its comparisons are guessed, too.
void search(const Subject &S, std::vector<Match> &Out);

void add(std::vector<Match> &Out, RuleId Rule, const Instruction &I, std::map<std::string, std::string> Facts = {});

} // namespace whyhot::machine::rules
