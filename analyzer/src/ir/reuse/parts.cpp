#include "ir/reuse/parts.h"

#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"

using namespace llvm;

namespace whyhot::ir::reuse {
namespace {

// Do the passes conclude from all its uses what it is? Of a constant they know that.
bool knowsItsUses(const GlobalValue &G) {
  auto *V = dyn_cast<GlobalVariable>(&G);
  return G.hasLocalLinkage() && !(V && V->isConstant());
}

} // namespace

Parts::Parts(const Module &M) {
  Fingerprints F(M);
  OfModule = F.ofModule();
  for (const Function &G : M)
    add(G, F);
  for (const GlobalVariable &G : M.globals())
    add(G, F);
  for (const GlobalAlias &G : M.aliases())
    add(G, F);
  for (const GlobalIFunc &G : M.ifuncs())
    add(G, F);
  connect();
  for (unsigned I = 0; I < List.size(); ++I) {
    BitVector Own(List.size());
    Own.set(I);
    const BitVector All = closure(Own);
    for (const unsigned J : All.set_bits()) { // a sum: no order of the parts matters
      List[I].Whole.first += Prints[J].Own.first;
      List[I].Whole.second += Prints[J].Own.second;
    }
  }
}

void Parts::add(const GlobalValue &G, Fingerprints &F) {
  if (G.isDeclaration() || isTransparent(G))
    return;
  Index[&G] = List.size();
  List.push_back({&G, {}, {}});
  Prints.push_back(F.of(G));
}

void Parts::connect() {
  const std::vector<bool> Circles = inCircles();
  const auto needs = [&](unsigned I, unsigned J) {
    if (!is_contained(List[I].Needs, J))
      List[I].Needs.push_back(J);
  };
  for (unsigned I = 0; I < List.size(); ++I)
    for (const GlobalValue *G : Prints[I].Refers)
      if (const auto It = Index.find(G); It != Index.end() && It->second != I) {
        needs(I, It->second);
        if (Circles[It->second] || knowsItsUses(*G))
          needs(It->second, I);
      }
}

// Tarjan's algorithm, over calls by name. A function that calls itself alone is in none.
std::vector<bool> Parts::inCircles() const {
  std::vector<bool> Out(List.size());
  std::vector<unsigned> Number(List.size()), Least(List.size()), Stack;
  std::vector<bool> Stacked(List.size());
  std::vector<std::vector<unsigned>> Callees(List.size());
  for (unsigned I = 0; I < List.size(); ++I)
    for (const Function *F : Prints[I].Calls)
      if (const auto It = Index.find(F); It != Index.end())
        Callees[I].push_back(It->second);
  unsigned Next = 1;
  struct Frame {
    unsigned At;
    size_t Callee = 0;
  };
  const auto enter = [&](std::vector<Frame> &Frames, unsigned I) {
    Number[I] = Least[I] = Next++;
    Stack.push_back(I);
    Stacked[I] = true;
    Frames.push_back({I});
  };
  for (unsigned Root = 0; Root < List.size(); ++Root) {
    std::vector<Frame> Frames;
    if (Number[Root] == 0)
      enter(Frames, Root);
    while (!Frames.empty()) {
      const unsigned I = Frames.back().At;
      if (Frames.back().Callee < Callees[I].size()) {
        const unsigned J = Callees[I][Frames.back().Callee++];
        if (Number[J] == 0)
          enter(Frames, J);
        else if (Stacked[J])
          Least[I] = std::min(Least[I], Number[J]);
        continue;
      }
      Frames.pop_back();
      if (!Frames.empty())
        Least[Frames.back().At] = std::min(Least[Frames.back().At], Least[I]);
      if (Least[I] != Number[I])
        continue;
      const bool Several = Stack.back() != I;
      unsigned J;
      do {
        J = Stack.back();
        Stack.pop_back();
        Stacked[J] = false;
        Out[J] = Several;
      } while (J != I);
    }
  }
  return Out;
}

BitVector Parts::closure(const BitVector &Of) const {
  BitVector Out = Of;
  std::vector<unsigned> Work(Of.set_bits_begin(), Of.set_bits_end());
  while (!Work.empty()) {
    const unsigned I = Work.back();
    Work.pop_back();
    for (const unsigned J : List[I].Needs)
      if (!Out.test(J)) {
        Out.set(J);
        Work.push_back(J);
      }
  }
  return Out;
}

} // namespace whyhot::ir::reuse
