// What a definition of unoptimised IR is, apart from where it stands in its file: two
// with the same fingerprint and the same surroundings are optimised alike.
//
// Lines count from that of the function they are in, so that text above it changes
// nothing. What a definition refers to enters by its name; a private constant, which has
// none that lasts, by its value. Debug information of variables and types is left out:
// passes must not depend on it.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/Module.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace whyhot::ir::reuse {

using Hash = std::pair<uint64_t, uint64_t>;

// A constant that stands for its value: its name is a number that changes with others.
bool isTransparent(const llvm::GlobalValue &G);

struct Fingerprint {
  Hash Own;
  std::set<const llvm::GlobalValue *> Refers; // definitions and declarations, through transparent constants
  std::set<const llvm::Function *> Calls;     // of these, the functions that are called by name
};

// One for each module: what it has read of types and attributes it reads once.
class Fingerprints {
public:
  explicit Fingerprints(const llvm::Module &M);

  Fingerprint of(const llvm::GlobalValue &G);

  // Of what is the module's alone: its flags, target and named metadata.
  Hash ofModule();

private:
  friend class Reader;

  Hash of(const llvm::Type &T);
  Hash of(const llvm::AttributeList &A);

  const llvm::Module &M;
  llvm::SmallVector<llvm::StringRef> MetadataKinds;
  llvm::DenseMap<const llvm::Type *, Hash> Types;
  llvm::DenseMap<void *, Hash> Attributes;
};

} // namespace whyhot::ir::reuse
