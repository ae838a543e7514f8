#include "ast/facts/term.h"

using namespace clang;

namespace whyhot::ast {

template <typename Test> bool Term::any(const Test &Of) const {
  return Of(*this) || (Left && Left->any(Of)) || (Right && Right->any(Of));
}

bool Term::dependsOn(const AccessPath &Written) const {
  return any([&](const Term &T) {
    return T.What == Value && ((!T.Address && T.At.startsWith(Written)) || T.At.dependsOn(Written));
  });
}

bool Term::isLoaded() const {
  return any([](const Term &T) { return T.What == Value && (!T.Address || !T.At.isFixed()); });
}

bool Term::hasElement() const {
  return any([](const Term &T) { return T.What == Value && T.At.hasElement(); });
}

void Term::profile(llvm::FoldingSetNodeID &ID, Kind What, unsigned Opcode, bool Address, uint64_t Number,
                   const AccessPath &At, const Term *Left, const Term *Right) {
  ID.AddInteger(What);
  ID.AddInteger(Opcode);
  ID.AddBoolean(Address);
  ID.AddInteger(Number);
  ID.AddPointer(Left);
  ID.AddPointer(Right);
  At.Profile(ID);
}

const Term *Terms::make(Term T) {
  llvm::FoldingSetNodeID ID;
  T.Profile(ID);
  void *Where = nullptr;
  if (const Term *Old = Known.FindNodeOrInsertPos(ID, Where))
    return Old;
  Term *New = new (Memory.Allocate()) Term(std::move(T));
  Known.InsertNode(New, Where);
  return New;
}

const Term *Terms::constant(uint64_t Number) {
  Term T;
  T.Number = Number;
  return make(std::move(T));
}

const Term *Terms::value(const AccessPath &At, bool Address, const Term *Offset) {
  Term T;
  T.What = Term::Value;
  T.At = At;
  T.Address = Address;
  T.Left = Offset;
  return make(std::move(T));
}

const Term *Terms::unary(UnaryOperatorKind Opcode, const Term *Operand) {
  Term T;
  T.What = Term::Unary;
  T.Opcode = Opcode;
  T.Left = Operand;
  return make(std::move(T));
}

const Term *Terms::binary(BinaryOperatorKind Opcode, const Term *Left, const Term *Right) {
  Term T;
  T.What = Term::Binary;
  T.Opcode = Opcode;
  T.Left = Left;
  T.Right = Right;
  return make(std::move(T));
}

} // namespace whyhot::ast
