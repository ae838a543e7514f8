#include "ast/facts/flow.h"

#include "ast/facts/types.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"

#include <deque>
#include <unordered_map>

using namespace clang;

namespace whyhot::ast {
namespace {

constexpr size_t MaxKeys = 400; // of one function; generated code has more, and nobody edits it

QualType plain(QualType T) { return T.getCanonicalType().getUnqualifiedType(); }

// May a typed store disturb a load, by the types alone? They are canonical.
bool sameType(QualType A, QualType B) {
  if (A.isNull() || B.isNull())
    return true;
  if (A->isAnyPointerType() && B->isAnyPointerType())
    return true;
  return A == B;
}

// A path that the function accesses, once. Two are equal when they are one.
struct Location {
  unsigned Accesses = 0; // reads and stores
  bool IsFollowed = false;
};

// An effect with what the comparison with every location asks of it.
struct Event {
  const Effect *X;
  unsigned Block;
  QualType Type;                // canonical, without qualifiers; null where unknown
  AccessPath CastFrom;          // Locals::castFrom() of the root
  Location *Accessed = nullptr; // null where that is not known
  bool IsPrivate = false;       // a store to a variable that nobody else sees
  bool OwnMemory = false;       // a store that no load of others' memory sees
};

enum class Touch : uint8_t { None, Kill, Access, Clobber };

struct State {
  unsigned Rank = 0; // 0 nothing, 1 accessed, 2 a char-like store since
  const Effect *First = nullptr;
  const Effect *Write = nullptr;
};

class Flow {
public:
  Flow(const FunctionFacts &F) : F(F), Own(F.Function, F.Known) {}

  std::vector<Reload> run() {
    CFG::BuildOptions Options;
    Options.setAllAlwaysAdd();
    Options.PruneTriviallyFalseEdges = true;
    Graph = CFG::buildCFG(F.Function, F.Function->getBody(), &F.Context, Options);
    if (!Graph)
      return {};
    collect();
    if (!AnyCharStore)
      return {};
    findCycles();
    std::vector<Reload> Out;
    for (const Event *Example : Keys)
      if (worthFollowing(*Example))
        follow(*Example, Out);
    return Out;
  }

private:
  void collect() {
    Effects.resize(Graph->getNumBlockIDs());
    Blocks.resize(Graph->getNumBlockIDs());
    for (const CFGBlock *B : *Graph) {
      std::vector<Effect> &List = Effects[B->getBlockID()];
      for (const CFGElement &E : *B)
        if (auto S = E.getAs<CFGStmt>())
          F.Known.effects().of(S->getStmt(), List);
      std::erase_if(List, [&](const Effect &X) { return isIrrelevant(X); });
      for (Effect &X : List) {
        weaken(X);
        Blocks[B->getBlockID()].push_back(event(X, B->getBlockID()));
      }
    }
    // Pointers to events are taken only now that none moves any more.
    for (std::vector<Event> &List : Blocks)
      for (const Event &E : List) {
        AnyCharStore |= E.X->What == Effect::CharStore;
        if (E.X->What == Effect::CharStore)
          CharStores.push_back(&E);
        if (E.X->What == Effect::Read && E.X->Where.Exact && !E.Accessed->IsFollowed && Own.isShared(E.X->Where)) {
          E.Accessed->IsFollowed = true;
          if (Keys.size() < MaxKeys)
            Keys.push_back(&E);
        }
      }
  }

  Event event(const Effect &X, unsigned Block) {
    const Path &P = X.Where;
    const VarDecl *V = P.At.variable();
    Event E{&X, Block, X.Type.isNull() ? QualType() : plain(X.Type), Own.castFrom(V)};
    if (X.What == Effect::Opaque)
      return E;
    E.Accessed = &Locations[P.At];
    E.Accessed->Accesses++;
    if (X.What != Effect::Read) {
      E.IsPrivate = P.At.isDirect() && Own.isPrivate(V);
      E.OwnMemory = Own.isOwnMemory(P) || Locals::isRestrict(V);
    }
    return E;
  }

  // Reads of private objects are registers.
  bool isIrrelevant(const Effect &X) const { return X.What == Effect::Read && !Own.isShared(X.Where); }

  // Stores to own memory change no memory that anyone else reads, but they do
  // change the paths through it.
  void weaken(Effect &X) const {
    if (X.What == Effect::CharStore && Own.isOwnMemory(X.Where))
      X.What = Effect::Store;
  }

  // Blocks are numbered downwards from the entry, so every cycle has an edge
  // upwards over each number in it. This marks a few blocks too many.
  void findCycles() {
    InCycle.resize(Blocks.size());
    for (const CFGBlock *B : *Graph)
      for (const CFGBlock *Next : B->succs())
        if (Next && Next->getBlockID() >= B->getBlockID())
          for (unsigned I = B->getBlockID(); I <= Next->getBlockID(); I++)
            InCycle[I] = true;
  }

  // Most locations are met once, or no char-like store can reach them: the walk
  // over the whole function is for the others.
  bool worthFollowing(const Event &K) const {
    if (K.Accessed->Accesses < 2 && !InCycle[K.Block])
      return false;
    return llvm::any_of(CharStores, [&](const Event *W) { return touch(*W, K) == Touch::Clobber; });
  }

  bool mayDisturb(const Event &Write, const Event &Read) const {
    const Path &WritePath = Write.X->Where, &ReadPath = Read.X->Where;
    const VarDecl *W = WritePath.At.variable(), *R = ReadPath.At.variable();
    if (Locals::isRestrict(W) && W != R)
      return false;
    if (!Write.CastFrom.empty() && ReadPath.At.startsWith(Write.CastFrom))
      return false; // the same object under two types: it really changes
    if (!Read.CastFrom.empty() && WritePath.At.startsWith(Read.CastFrom))
      return false;
    if (W && R && W != R && !Write.CastFrom.empty() && Write.CastFrom == Read.CastFrom)
      return false;
    if (!WritePath.At.sharesObjectWith(ReadPath.At))
      return true;
    if (WritePath.Cast || ReadPath.Cast)
      return false;
    if (!isCharLike(Read.X->Type, F.Context))
      return Write.Accessed != Read.Accessed;
    // Elements of one array of bytes alias each other by right; two members of
    // one struct do not.
    const AccessPath::Steps W1 = WritePath.At.members(), R1 = ReadPath.At.members();
    return !W1.empty() && !R1.empty() && W1 != R1;
  }

  Touch touch(const Event &E, const Event &K) const {
    const Effect &X = *E.X;
    const Path &P = X.Where, &Of = K.X->Where;
    switch (X.What) {
    case Effect::Opaque:
      return Touch::Kill;
    case Effect::Read:
      return E.Accessed == K.Accessed ? Touch::Access : Touch::None;
    case Effect::Store:
    case Effect::CharStore:
      break;
    }
    if (E.Accessed == K.Accessed)
      return P.Exact ? Touch::Access : Touch::Kill;
    if (Of.At.dependsOn(P.At))
      return Touch::Kill;
    if (Of.At.startsWith(P.At) && Of.At.steps()[P.At.steps().size()].field()) // the whole object is assigned
      return Touch::Kill;
    if (X.What == Effect::CharStore)
      return mayDisturb(E, K) ? Touch::Clobber : Touch::Kill;
    if (E.IsPrivate)
      return Touch::None;
    if (!sameType(E.Type, K.Type) || (P.At.field() && Of.At.field() && P.At.field() != Of.At.field()))
      return Touch::None;
    return E.OwnMemory ? Touch::None : Touch::Kill;
  }

  // What each block does to the location, without the events that do nothing.
  struct Step {
    const Effect *X;
    Touch What;
  };

  void follow(const Event &K, std::vector<Reload> &Out) {
    std::vector<llvm::SmallVector<Step, 2>> Steps(Blocks.size());
    for (size_t I = 0; I < Blocks.size(); I++)
      for (const Event &E : Blocks[I])
        if (Touch T = touch(E, K); T != Touch::None)
          Steps[I].push_back({E.X, T});
    std::vector<State> Entry(Blocks.size());
    llvm::DenseSet<const Expr *> Reported;
    std::deque<const CFGBlock *> Work;
    std::vector<bool> Visited(Blocks.size());
    Work.push_back(&Graph->getEntry());
    while (!Work.empty()) {
      const CFGBlock *B = Work.front();
      Work.pop_front();
      Visited[B->getBlockID()] = true;
      State S = Entry[B->getBlockID()];
      for (const Step &X : Steps[B->getBlockID()])
        take(X, S, Reported, Out);
      for (const CFGBlock *Next : B->succs()) {
        if (!Next)
          continue;
        State &Old = Entry[Next->getBlockID()];
        const bool Better = S.Rank > Old.Rank;
        if (Better)
          Old = S;
        if (Better || !Visited[Next->getBlockID()]) {
          Visited[Next->getBlockID()] = true; // queued: a join is not entered once for each way to it
          Work.push_back(Next);
        }
      }
    }
  }

  static void take(const Step &Of, State &S, llvm::DenseSet<const Expr *> &Reported, std::vector<Reload> &Out) {
    switch (Of.What) {
    case Touch::None:
      return;
    case Touch::Kill:
      S = {};
      return;
    case Touch::Clobber:
      if (S.Rank == 1)
        S = {2, S.First, Of.X};
      return;
    case Touch::Access:
      if (Of.X->What == Effect::Read && S.Rank == 2 && Reported.insert(Of.X->Site).second)
        Out.push_back({*S.First, *S.Write, *Of.X});
      S = {1, Of.X, nullptr};
      return;
    }
  }

  const FunctionFacts &F;
  Locals Own;
  std::unique_ptr<CFG> Graph;
  std::vector<std::vector<Effect>> Effects; // by block
  std::vector<std::vector<Event>> Blocks;   // the same, compared quickly
  std::vector<bool> InCycle;                // by block
  std::vector<const Event *> Keys;          // one read of each location
  std::vector<const Event *> CharStores;
  std::unordered_map<AccessPath, Location, AccessPath::Hash> Locations;
  bool AnyCharStore = false;
};

bool storesChar(const Stmt *S, const FunctionFacts &F) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (const auto *BO = dyn_cast<BinaryOperator>(S); BO && BO->isAssignmentOp()) {
    if (storesAsChar(BO->getLHS(), F.Context) && !isa<DeclRefExpr>(BO->getLHS()->IgnoreParens()))
      return true;
    if (const auto *DRE = dyn_cast<DeclRefExpr>(BO->getLHS()->IgnoreParens());
        DRE && DRE->getDecl()->getType()->isReferenceType() && storesAsChar(DRE, F.Context))
      return true;
  } else if (const auto *UO = dyn_cast<UnaryOperator>(S); UO && UO->isIncrementDecrementOp()) {
    if (storesAsChar(UO->getSubExpr(), F.Context))
      return true;
  } else if (const auto *Call = dyn_cast<CallExpr>(S)) {
    if (const FunctionDecl *Callee = Call->getDirectCallee())
      for (const Effect &X : F.Known.of(Callee).Does)
        if (X.What == Effect::CharStore)
          return true;
  }
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return storesChar(Child, F); });
}

} // namespace

bool mayStoreChar(const FunctionFacts &F) { return storesChar(F.Function->getBody(), F); }

std::vector<Reload> findReloads(const FunctionFacts &F) { return Flow(F).run(); }

} // namespace whyhot::ast
