// What a store may be blamed for. One predicate names a kind of store that
// forces reloads although no programmer meant it to; everything else (the edit
// of the worlds, the comparison, the verdict) is the same for all of them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <vector>

namespace whyhot::ir {

// The type that a load or store moves; null for any other instruction.
llvm::Type *accessType(const llvm::Instruction &I);

// A memcpy, memmove or memset that becomes a few moves rather than a call.
bool isMove(const llvm::Instruction &I);

// How many bytes a store writes, or such a move; 0 for what is neither.
uint64_t bytesWritten(const llvm::Instruction &I);

// Does the access carry the scalar "omnipotent char" tag, whatever its width?
bool isCharTagged(const llvm::Instruction &I);

struct Predicate {
  llvm::StringRef Name;
  // Is this access one that the predicate blames?
  bool (*Blames)(const llvm::Instruction &I);
  // Those of them that another written type frees.
  bool (*Retypes)(const llvm::Instruction &I);
  // Can a change of the written type free the loads? Then there is a world in
  // which the blamed stores carry a tag of their own.
  bool Retypable;
  // The access itself is to blame, not what it clobbers: its world drops the
  // qualifier, and hoisting does not apply.
  bool Qualifier = false;
};

// char: stores that may change anything. Most are made through char, signed or
// unsigned char, uint8_t or std::byte, and another type is a remedy. The rest has
// no type that could be changed: a few bytes moved by memcpy, a struct of bytes
// copied whole, a member of a union, a type that may alias, a vector register.
// bitfield: read-modify-write stores that clang leaves without any tag.
// pointer: stores of a pointer, which reload every other pointer.
// size: stores of an integer that reload fields of the same integer type.
// volatile: volatile accesses that no exit of the loop waits for.
//
// Without strict aliasing there are no tags: then a store is told by the type
// it moves alone, no change of type is a remedy, and a bit-field store is no
// worse than any other.
const std::vector<Predicate> &predicates(bool StrictAliasing = true);
// Marks the bit-field stores of unoptimised IR, so that they are known when
// their values no longer show it: a word whose fields are all set has no part
// of the old word left.
void markBitfieldStores(llvm::Module &M);

const Predicate *findPredicate(llvm::StringRef Name, bool StrictAliasing = true);

} // namespace whyhot::ir
