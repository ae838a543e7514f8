#include "ast/facts/term.h"

using namespace clang;

namespace whyhot::ast {
namespace {

bool isCommutative(BinaryOperatorKind Opcode) {
  switch (Opcode) {
  case BO_Add:
  case BO_Mul:
  case BO_And:
  case BO_Or:
  case BO_Xor:
  case BO_EQ:
  case BO_NE:
    return true;
  default:
    return false;
  }
}

} // namespace

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

void Term::Profile(llvm::FoldingSetNodeID &ID) const {
  ID.AddInteger(What);
  ID.AddInteger(Opcode);
  ID.AddBoolean(Address);
  ID.AddInteger(Number);
  ID.AddPointer(To.getAsOpaquePtr());
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
  New->Order = Known.size();
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
  // The operands of a commutative operation stand in the order in which they were
  // made, as LLVM's GVN orders them by value number.
  if (isCommutative(Opcode) && Left->Order > Right->Order)
    std::swap(Left, Right);
  T.What = Term::Binary;
  T.Opcode = Opcode;
  T.Left = Left;
  T.Right = Right;
  return make(std::move(T));
}

const Term *Terms::cast(QualType To, const Term *Operand) {
  Term T;
  T.What = Term::Cast;
  T.To = To.getCanonicalType().getUnqualifiedType();
  T.Left = Operand;
  return make(std::move(T));
}

} // namespace whyhot::ast
