#include "ast/facts/flow.h"

#include "ast/facts/types.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"

#include <deque>
#include <set>

using namespace clang;

namespace whyhot::ast {
namespace {

constexpr size_t MaxKeys = 400; // of one function; generated code has more, and nobody edits it

QualType plain(QualType T) { return T.getCanonicalType().getUnqualifiedType(); }

// May a typed store disturb a load, by the types alone?
bool sameType(QualType A, QualType B) {
  if (A.isNull() || B.isNull())
    return true;
  A = plain(A);
  B = plain(B);
  if (A->isAnyPointerType() && B->isAnyPointerType())
    return true;
  return A == B;
}

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
    std::vector<Reload> Out;
    for (const auto &[Key, Example] : Keys)
      follow(*Example, Out);
    return Out;
  }

private:
  void collect() {
    Blocks.resize(Graph->getNumBlockIDs());
    for (const CFGBlock *B : *Graph) {
      std::vector<Effect> &List = Blocks[B->getBlockID()];
      for (const CFGElement &E : *B)
        if (auto S = E.getAs<CFGStmt>())
          F.Known.effects().of(S->getStmt(), List);
      std::erase_if(List, [&](const Effect &X) { return isIrrelevant(X); });
      for (Effect &X : List)
        weaken(X);
      for (const Effect &X : List)
        AnyCharStore |= X.What == Effect::CharStore;
    }
    for (const std::vector<Effect> &List : Blocks)
      for (const Effect &X : List)
        if (X.What == Effect::Read && X.Where.Exact && Own.isShared(X.Where) && Seen.insert(X.Where.Key).second &&
            Keys.size() < MaxKeys)
          Keys.push_back({X.Where.Key, &X});
  }

  // Reads of private objects are registers.
  bool isIrrelevant(const Effect &X) const { return X.What == Effect::Read && !Own.isShared(X.Where); }

  // Stores to own memory change no memory that anyone else reads, but they do
  // change the paths through it.
  void weaken(Effect &X) const {
    if (X.What == Effect::CharStore && Own.isOwnMemory(X.Where))
      X.What = Effect::Store;
  }

  bool mayDisturb(const Effect &Write, const Effect &Read) const {
    const VarDecl *W = Write.Where.Root, *R = Read.Where.Root;
    if (Locals::isRestrict(W) && W != R)
      return false;
    if (Own.castFrom(W).size() && Read.Where.Key.starts_with(Own.castFrom(W)))
      return false; // the same object under two types: it really changes
    if (Own.castFrom(R).size() && Write.Where.Key.starts_with(Own.castFrom(R)))
      return false;
    if (W && R && W != R && Own.castFrom(W).size() && Own.castFrom(W) == Own.castFrom(R))
      return false;
    if (Write.Where.object() != Read.Where.object() || Write.Where.object().empty())
      return true;
    if (Write.Where.Cast || Read.Where.Cast)
      return false;
    if (!isCharLike(Read.Type, F.Context))
      return Write.Where.Key != Read.Where.Key;
    // Elements of one array of bytes alias each other by right; two members of
    // one struct do not.
    llvm::StringRef W1 = within(Write.Where), R1 = within(Read.Where);
    return W1.starts_with(".") && R1.starts_with(".") && W1.split('[').first != R1.split('[').first;
  }

  static llvm::StringRef within(const Path &P) { return llvm::StringRef(P.Key).drop_front(P.object().size()); }

  enum class Touch { None, Kill, Access, Clobber };

  Touch touch(const Effect &X, const Effect &K) const {
    const Path &P = X.Where;
    switch (X.What) {
    case Effect::Opaque:
      return Touch::Kill;
    case Effect::Read:
      return P.Key == K.Where.Key ? Touch::Access : Touch::None;
    case Effect::Store:
    case Effect::CharStore:
      break;
    }
    if (P.Key == K.Where.Key)
      return P.Exact ? Touch::Access : Touch::Kill;
    for (const std::string &Cell : K.Where.Cells)
      if (llvm::StringRef(Cell).starts_with(P.Key))
        return Touch::Kill;
    if (llvm::StringRef(K.Where.Key).starts_with(P.Key + ".")) // the whole object is assigned
      return Touch::Kill;
    if (X.What == Effect::CharStore)
      return mayDisturb(X, K) ? Touch::Clobber : Touch::Kill;
    if (P.isDirect() && P.Root && Own.isPrivate(P.Root))
      return Touch::None;
    if (!sameType(X.Type, K.Type) || (P.Field && K.Where.Field && P.Field != K.Where.Field))
      return Touch::None;
    return Own.isOwnMemory(P) || Locals::isRestrict(P.Root) ? Touch::None : Touch::Kill;
  }

  void follow(const Effect &K, std::vector<Reload> &Out) {
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
      for (const Effect &X : Blocks[B->getBlockID()])
        step(X, K, S, Reported, Out);
      for (const CFGBlock *Next : B->succs()) {
        if (!Next)
          continue;
        State &Old = Entry[Next->getBlockID()];
        const bool Better = S.Rank > Old.Rank;
        if (Better)
          Old = S;
        if (Better || !Visited[Next->getBlockID()])
          Work.push_back(Next);
      }
    }
  }

  void step(const Effect &X, const Effect &K, State &S, llvm::DenseSet<const Expr *> &Reported,
            std::vector<Reload> &Out) const {
    switch (touch(X, K)) {
    case Touch::None:
      return;
    case Touch::Kill:
      S = {};
      return;
    case Touch::Clobber:
      if (S.Rank == 1)
        S = {2, S.First, &X};
      return;
    case Touch::Access:
      if (X.What == Effect::Read && S.Rank == 2 && Reported.insert(X.Site).second)
        Out.push_back({*S.First, *S.Write, X});
      S = {1, &X, nullptr};
      return;
    }
  }

  const FunctionFacts &F;
  Locals Own;
  std::unique_ptr<CFG> Graph;
  std::vector<std::vector<Effect>> Blocks;
  std::vector<std::pair<std::string, const Effect *>> Keys;
  std::set<std::string> Seen;
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
