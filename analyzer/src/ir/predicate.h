// What a store may be blamed for. One predicate names a kind of store that
// forces reloads although no programmer meant it to; everything else (the edit
// of the worlds, the comparison, the verdict) is the same for all of them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Instructions.h"

#include <vector>

namespace whyhot::ir {

// The type that a load or store moves; null for any other instruction.
llvm::Type *accessType(const llvm::Instruction &I);

// Does the access carry the scalar "omnipotent char" tag, whatever its width?
bool isCharTagged(const llvm::Instruction &I);

struct Predicate {
  llvm::StringRef Name;
  // Is this store one that the predicate blames?
  bool (*Blames)(const llvm::Instruction &I);
  // Can a change of the written type free the loads? Then there is a world in
  // which the blamed stores carry a tag of their own.
  bool Retypable;
};

// char: stores through char, signed/unsigned char, uint8_t, std::byte.
// bitfield: read-modify-write stores that clang leaves without any tag.
// pointer: stores of a pointer, which reload every other pointer.
// size: stores of an integer that reload fields of the same integer type.
const std::vector<Predicate> &predicates();
const Predicate *findPredicate(llvm::StringRef Name);

} // namespace whyhot::ir
