#include "ast/facts/access_path.h"

#include "ast/facts/term.h"

using namespace clang;

namespace whyhot::ast {

void AccessPath::Profile(llvm::FoldingSetNodeID &ID) const {
  ID.AddInteger(From);
  ID.AddPointer(Root);
  for (const Step &S : Way) {
    ID.AddInteger(S.What);
    ID.AddPointer(S.Of);
  }
}

void AccessPath::select(const Term *Index) {
  if (!Index->isZero() || !endsIn(Step::Follow))
    Way.push_back({Step::Element, Index});
}

unsigned AccessPath::follows() const {
  return llvm::count_if(Way, [](const Step &S) { return S.kind() == Step::Follow; });
}

bool AccessPath::hasElement() const {
  return llvm::any_of(Way, [](const Step &S) { return S.kind() == Step::Element; }) || (term() && term()->hasElement());
}

AccessPath::Steps AccessPath::within() const {
  size_t Begin = Way.size();
  while (Begin > 0 && Way[Begin - 1].kind() != Step::Follow)
    Begin--;
  return steps().drop_front(Begin);
}

AccessPath::Steps AccessPath::members() const {
  return within().take_while([](const Step &S) { return S.kind() == Step::Field; });
}

const FieldDecl *AccessPath::lastField(Steps Of) {
  for (const Step &S : llvm::reverse(Of))
    if (S.kind() == Step::Field)
      return S.field();
  return nullptr;
}

bool AccessPath::sharesObjectWith(const AccessPath &Other) const {
  const size_t Length = Way.size() - within().size();
  return Length > 0 && Length == Other.Way.size() - Other.within().size() && From == Other.From && Root == Other.Root &&
         steps().take_front(Length) == Other.steps().take_front(Length);
}

bool AccessPath::startsWith(const AccessPath &Other) const {
  return From == Other.From && Root == Other.Root && Way.size() >= Other.Way.size() &&
         steps().take_front(Other.Way.size()) == Other.steps();
}

bool AccessPath::leadsThrough(const AccessPath &Object) const {
  return startsWith(Object) && !Object.empty() &&
         (Way.size() == Object.Way.size() || Way[Object.Way.size()].kind() != Step::Follow);
}

bool AccessPath::mayOverlap(const AccessPath &Other) const {
  const Steps A = members(), B = Other.members();
  const size_t Both = std::min(A.size(), B.size());
  return From == Other.From && Root == Other.Root && A.take_front(Both) == B.take_front(Both);
}

// What a path is read from is written in itself. Every pointer that is followed
// is a path of its own, the way up to there; an index is a term, and names what
// it is loaded from. So for p · follow · .rows · follow · [i] the cells are p,
// p->rows and i. A write changes the way when a cell begins with what is written:
// p, p->rows, i, and *p as a whole, but not p->other.
bool AccessPath::dependsOn(const AccessPath &Written) const {
  const auto isFollow = [](const Step &S) { return S.kind() == Step::Follow; };
  if (startsWith(Written) && llvm::any_of(steps().drop_front(Written.Way.size()), isFollow))
    return true;
  return (term() && term()->dependsOn(Written)) ||
         llvm::any_of(Way, [&](const Step &S) { return S.index() && S.index()->dependsOn(Written); });
}

bool AccessPath::isFixed() const {
  return isDirect() && !(term() && term()->isLoaded()) &&
         llvm::none_of(Way, [](const Step &S) { return S.index() && S.index()->isLoaded(); });
}

} // namespace whyhot::ast
