// Instructions, and the functions that they make.
#pragma once

#include "machine/image.h"
#include "machine/target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCInst.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace whyhot::machine {

// What an instruction of x86-64 reads or writes in memory.
struct Memory {
  llvm::MCRegister Base, Index, Segment;
  int64_t Scale = 1, Offset = 0;
  unsigned Bytes = 0; // 0: not known, or none: the address alone is used

  bool sameAddress(const Memory &M) const {
    return Base == M.Base && Index == M.Index && Segment == M.Segment && Offset == M.Offset &&
           (!Index || Scale == M.Scale);
  }
  // Another part of the same object: the same registers, and bytes that do not meet.
  bool isBeside(const Memory &M) const {
    return Base == M.Base && Index == M.Index && Segment == M.Segment && (!Index || Scale == M.Scale) && Bytes &&
           M.Bytes && (Offset + int64_t(Bytes) <= M.Offset || M.Offset + int64_t(M.Bytes) <= Offset);
  }
};

// Why an instruction may take long: what a sample on the one behind it is about.
enum class Slow { No, Load, Divide, Atomic };

struct Instruction {
  uint64_t Address = 0;
  unsigned Size = 0;
  llvm::MCInst Inst;
  const llvm::MCInstrDesc *Desc = nullptr;
  llvm::StringRef Name;          // LLVM's name of the operation: MOV64rm
  std::optional<Memory> At;      // of x86-64
  std::optional<uint64_t> Jumps; // a branch's or call's address, where the instruction has it
  std::string Prefix;            // "lock", "rep": LLVM reads them as instructions
  bool IsRelative = false;       // At is counted from the next instruction
  bool Conditional = false, Branch = false, Call = false, Return = false, Bad = false;

  uint64_t end() const { return Address + Size; }
  bool loads() const { return Desc && Desc->mayLoad() && !Bad; }
  bool stores() const { return Desc && Desc->mayStore() && !Bad; }
  bool locked() const;
  bool repeats() const; // a string instruction with its prefix
  Slow slow() const;
};

struct Function;

// Instructions that run one after the other. The first block of a function is
// empty: it leads to where the function is entered.
struct Block {
  Function *Parent = nullptr;
  unsigned Number = 0;
  size_t First = 0, End = 0; // in Parent->Code
  llvm::SmallVector<Block *, 2> Successors, Predecessors;

  Function *getParent() const { return Parent; }
  void printAsOperand(llvm::raw_ostream &OS, bool) const;
  bool empty() const { return First == End; }
};

struct Function {
  uint64_t Low = 0, High = 0;
  std::vector<Instruction> Code; // by address, without gaps
  std::vector<std::unique_ptr<Block>> Blocks;
  unsigned Unresolved = 0; // jumps whose targets are not known
  // Of x86-64: %rbp holds a place on the stack, and is no register like any other.
  bool HasFramePointer = false;

  Block &front() const { return *Blocks.front(); }
  size_t size() const { return Blocks.size(); }
  // The instruction that begins at an address, -1 for none.
  std::ptrdiff_t find(uint64_t Address) const;
};

// Decodes the bytes from Low up to High. What is no instruction is a Bad one of one
// byte (of four on AArch64).
Function decode(const Image &I, const Target &T, uint64_t Low, uint64_t High);

// The operands that an instruction writes come first.
bool writes(const Instruction &I, llvm::MCRegister R, const llvm::MCRegisterInfo &MRI);
bool reads(const Instruction &I, llvm::MCRegister R, const llvm::MCRegisterInfo &MRI);

} // namespace whyhot::machine
