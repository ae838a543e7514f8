// Terms: the numbers of which indices, offsets and computed pointers are made.
//
// A term is made once. A table keeps every term of a unit and gives the old one
// where an equal one is asked for, so that two are equal when their addresses are
// (hash consing, the value numbers of a compiler; Ershov 1958). i + 1 of one
// statement is the very term that i + 1 of another is.
#pragma once

#include "ast/facts/access_path.h"

#include "llvm/ADT/FoldingSet.h"
#include "llvm/Support/Allocator.h"

namespace whyhot::ast {

class Term : public llvm::FoldingSetNode {
public:
  enum Kind : uint8_t {
    Constant,
    Value,  // what is loaded from a path, or its address, and an offset from there
    Unary,  // -x, !x, ~x
    Binary, // x + y and all the others
    Cast,   // to a type that does not hold every value of the operand
  };
  Kind kind() const { return What; }
  bool isZero() const { return What == Constant && Number == 0; }
  // Of a value.
  const AccessPath &path() const { return At; }
  bool isAddress() const { return Address; }
  const Term *offset() const { return Left; } // may be null
  // Of a constant.
  uint64_t number() const { return Number; }
  // Of an operation or a cast.
  unsigned opcode() const { return Opcode; }
  const Term *left() const { return Left; } // or the only operand
  const Term *right() const { return Right; }
  clang::QualType to() const { return To; }

  // Would a write there change the number?
  bool dependsOn(const AccessPath &Written) const;
  // Is anything in it loaded?
  bool isLoaded() const;
  bool hasElement() const;

  void Profile(llvm::FoldingSetNodeID &ID) const;

private:
  friend class Terms;
  // Is it so for any part of it?
  template <typename Test> bool any(const Test &Of) const;

  Kind What = Constant;
  bool Address = false;
  unsigned Opcode = 0;
  unsigned Order = 0; // when it was made
  uint64_t Number = 0;
  clang::QualType To; // canonical
  AccessPath At;
  const Term *Left = nullptr, *Right = nullptr;
};

// The table. Terms live as long as it does.
class Terms {
public:
  const Term *constant(uint64_t Number);
  const Term *value(const AccessPath &At, bool Address, const Term *Offset);
  const Term *unary(clang::UnaryOperatorKind Opcode, const Term *Operand);
  // x + y is y + x.
  const Term *binary(clang::BinaryOperatorKind Opcode, const Term *Left, const Term *Right);
  const Term *cast(clang::QualType To, const Term *Operand);

private:
  const Term *make(Term T);

  llvm::SpecificBumpPtrAllocator<Term> Memory;
  llvm::FoldingSet<Term> Known;
};

} // namespace whyhot::ast
