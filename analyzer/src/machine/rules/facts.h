// What rules ask of a loop's registers and memory.
#pragma once

#include "machine/rules/rules.h"

namespace whyhot::machine::rules {

struct Place {
  const Block *In;
  size_t At; // in the function
};

// The instructions of the loop, by address: all, or without the loops in it.
std::vector<Place> everything(const Subject &S);
std::vector<Place> own(const Subject &S);

// The register has one value throughout the loop. Calls change those that the ABI
// lets them.
bool isInvariant(const Subject &S, llvm::MCRegister R);
// Of memory: its address is the same in every iteration.
bool isFixed(const Subject &S, const Instruction &I);
bool isStack(const Subject &S, const Memory &M);
bool hasCall(const Subject &S);
// The block runs in every iteration.
bool isAlways(const Subject &S, const Block *B);

llvm::StringRef nameOf(const Subject &S, llvm::MCRegister R);
// What the registers of an address are, as the assembler writes it: 0x10(%rax,%rcx,8).
std::string addressText(const Subject &S, const Memory &M);

void add(std::vector<Match> &Out, const char *Rule, const Instruction &I,
         std::map<std::string, std::string> Facts = {});

void division(const Subject &S, std::vector<Match> &Out);
void reload(const Subject &S, std::vector<Match> &Out);
void forwarding(const Subject &S, std::vector<Match> &Out);
void checksum(const Subject &S, std::vector<Match> &Out);
void scalar(const Subject &S, std::vector<Match> &Out);
void atomic(const Subject &S, std::vector<Match> &Out);
void x87(const Subject &S, std::vector<Match> &Out);
void rep(const Subject &S, std::vector<Match> &Out);
void ownCall(const Subject &S, std::vector<Match> &Out);
void generic(const Subject &S, std::vector<Match> &Out);

} // namespace whyhot::machine::rules
