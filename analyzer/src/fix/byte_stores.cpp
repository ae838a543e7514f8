#include "fix/byte_stores.h"

#include "fix/library.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include <set>

using namespace clang;

namespace whyhot::fix {
namespace {

std::optional<Linear> linear(const Expr *E, const VarDecl *I, const ASTContext &C) {
  E = E->IgnoreParenCasts();
  Expr::EvalResult V;
  if (E->EvaluateAsInt(V, C))
    return Linear{0, V.Val.getInt().getExtValue()};
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return I && D->getDecl() == I ? std::optional(Linear{1, 0}) : std::nullopt;
  const auto *BO = dyn_cast<BinaryOperator>(E);
  auto A = BO ? linear(BO->getLHS(), I, C) : std::nullopt, B = BO ? linear(BO->getRHS(), I, C) : std::nullopt;
  if (!A || !B)
    return std::nullopt;
  switch (BO->getOpcode()) {
  case BO_Add:
    return Linear{A->Coefficient + B->Coefficient, A->Constant + B->Constant};
  case BO_Sub:
    return Linear{A->Coefficient - B->Coefficient, A->Constant - B->Constant};
  case BO_Mul:
    if (A->Coefficient && B->Coefficient)
      return std::nullopt;
    return Linear{A->Coefficient * B->Constant + B->Coefficient * A->Constant, A->Constant * B->Constant};
  case BO_Shl:
    if (B->Coefficient || B->Constant < 0 || B->Constant > 8)
      return std::nullopt;
    return Linear{A->Coefficient << B->Constant, A->Constant << B->Constant};
  default:
    return std::nullopt;
  }
}

// One byte: the bits [Shift, Shift + 8) of Value.
struct Byte {
  const Expr *Value;
  Linear Shift;
};

unsigned widthOf(const Expr *E, const ASTContext &C) { return unsigned(C.getTypeSize(E->getType())); }

std::optional<Byte> byteOf(const Expr *E, const VarDecl *I, const ASTContext &C) {
  auto mask = [&](const BinaryOperator *BO, int64_t Shift) -> const Expr * {
    for (auto [M, X] : {std::pair(BO->getRHS(), BO->getLHS()), std::pair(BO->getLHS(), BO->getRHS())}) {
      Expr::EvalResult V;
      if (M->EvaluateAsInt(V, C) && ((V.Val.getInt().getZExtValue() >> Shift) & 0xff) == 0xff)
        return X;
    }
    return nullptr;
  };
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *Cast = dyn_cast<CastExpr>(E);
        Cast && (Cast->getCastKind() == CK_IntegralCast || Cast->getCastKind() == CK_NoOp)) {
      E = Cast->getSubExpr();
      continue;
    }
    const auto *BO = dyn_cast<BinaryOperator>(E);
    if (BO && BO->getOpcode() == BO_And)
      if (const Expr *X = mask(BO, 0)) {
        E = X;
        continue;
      }
    if (!BO || BO->getOpcode() != BO_Shr)
      break;
    auto Shift = linear(BO->getRHS(), I, C);
    if (!Shift)
      return std::nullopt;
    const Expr *X = BO->getLHS()->IgnoreParens();
    if (const auto *And = dyn_cast<BinaryOperator>(X); And && And->getOpcode() == BO_And && Shift->Coefficient == 0)
      if (const Expr *Inner = mask(And, Shift->Constant))
        X = Inner->IgnoreParens();
    while (const auto *Cast = dyn_cast<ImplicitCastExpr>(X)) {
      if (Cast->getCastKind() != CK_IntegralCast || widthOf(Cast, C) < widthOf(Cast->getSubExpr(), C))
        break;
      X = Cast->getSubExpr()->IgnoreParens();
    }
    return Byte{X, *Shift};
  }
  return Byte{E, {}};
}

// The object that is indexed and the index, both as they are written.
struct Target {
  const Expr *Base;
  const Expr *Index; // null: 0
};

std::optional<Target> targetOf(const Expr *E, const ASTContext &C) {
  E = E->IgnoreParens();
  if (C.getTypeSizeInChars(E->getType()).getQuantity() != 1 || !E->getType()->isIntegerType() ||
      E->getType()->isBooleanType() || E->getType().isVolatileQualified())
    return std::nullopt;
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return Target{A->getBase(), A->getIdx()};
  if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E); Call && Call->getOperator() == OO_Subscript) {
    const CXXRecordDecl *R = stdClass(Call->getArg(0)->getType());
    if (R && (R->getName() == "vector" || R->getName() == "array" || R->getName() == "basic_string" ||
              R->getName() == "span"))
      return Target{Call->getArg(0), Call->getArg(1)};
  }
  return std::nullopt;
}

void addTerms(const Expr *E, const VarDecl *I, const ASTContext &C, Index &Out) {
  E = E->IgnoreParenImpCasts();
  if (auto L = linear(E, I, C)) {
    Out.L.Coefficient += L->Coefficient;
    Out.L.Constant += L->Constant;
    return;
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(E); BO && BO->getOpcode() == BO_Add) {
    addTerms(BO->getLHS(), I, C, Out);
    addTerms(BO->getRHS(), I, C, Out);
    return;
  }
  E->Profile(Out.Rest, C, true);
  Out.Terms.push_back(E);
}

bool same(const Expr *A, const Expr *B, const ASTContext &C) {
  llvm::FoldingSetNodeID X, Y;
  A->IgnoreParenImpCasts()->Profile(X, C, true);
  B->IgnoreParenImpCasts()->Profile(Y, C, true);
  return X == Y;
}

const BinaryOperator *assignment(const Stmt *S) {
  if (const auto *CS = dyn_cast_or_null<CompoundStmt>(S); CS && CS->size() == 1)
    S = CS->body_front();
  const auto *BO = dyn_cast_or_null<BinaryOperator>(S);
  return BO && BO->getOpcode() == BO_Assign ? BO : nullptr;
}

class StoreFinder {
public:
  explicit StoreFinder(const ASTContext &C) : C(C) {}

  void find(const Stmt *S) {
    if (!S)
      return;
    if (const auto *For = dyn_cast<ForStmt>(S))
      if (auto G = loop(For)) {
        Found.push_back(*G);
        return;
      }
    if (const auto *CS = dyn_cast<CompoundStmt>(S))
      sequences(CS);
    for (const Stmt *Child : S->children())
      find(Child);
  }

  std::vector<ByteStores> Found;

private:
  // for (i = 0; i < N; ++i) base[… + i] = value >> 8 * i;
  std::optional<ByteStores> loop(const ForStmt *For) const {
    const auto *DS = dyn_cast_or_null<DeclStmt>(For->getInit());
    const auto *I = DS && DS->isSingleDecl() ? dyn_cast<VarDecl>(DS->getSingleDecl()) : nullptr;
    const auto *Cond = dyn_cast_or_null<BinaryOperator>(For->getCond());
    const auto *Inc = dyn_cast_or_null<UnaryOperator>(For->getInc());
    const BinaryOperator *Store = assignment(For->getBody());
    if (!I || !I->getInit() || !Cond || !Inc || !Inc->isIncrementOp() || !Store)
      return std::nullopt;
    auto Start = linear(I->getInit(), nullptr, C), End = linear(Cond->getRHS(), nullptr, C);
    auto Left = linear(Cond->getLHS(), I, C);
    if (!Start || Start->Constant != 0 || !End || !Left || Left->Coefficient != 1 || Left->Constant != 0 ||
        (Cond->getOpcode() != BO_LT && Cond->getOpcode() != BO_NE && Cond->getOpcode() != BO_LE))
      return std::nullopt;
    const int64_t N = End->Constant + (Cond->getOpcode() == BO_LE);
    auto To = targetOf(Store->getLHS(), C);
    auto B = byteOf(Store->getRHS(), I, C);
    if ((N != 2 && N != 4 && N != 8) || !To || !B)
      return std::nullopt;
    Index At;
    addTerms(To->Index, I, C, At);
    if (At.L.Coefficient != 1 && At.L.Coefficient != -1)
      return std::nullopt;
    const bool Low = B->Shift.Coefficient == 8 && B->Shift.Constant == 0;
    const bool High = B->Shift.Coefficient == -8 && B->Shift.Constant == 8 * (N - 1);
    if ((!Low && !High) || uses(B->Value, I) || llvm::any_of(At.Terms, [&](const Expr *T) { return uses(T, I); }) ||
        uses(To->Base, I))
      return std::nullopt;
    bool Little = Low;
    if (At.L.Coefficient == -1) { // written from the far end
      At.L.Constant -= N - 1;
      Little = !Little;
    }
    return ByteStores{For, For, To->Base, At, B->Value, unsigned(N), Little, Store};
  }

  // base[k] = value; base[k + 1] = value >> 8; …
  void sequences(const CompoundStmt *CS) {
    std::vector<const Stmt *> Body(CS->body_begin(), CS->body_end());
    for (size_t I = 0; I < Body.size(); I++)
      for (unsigned N : {8u, 4u, 2u})
        if (auto G = I + N <= Body.size() ? sequence(llvm::ArrayRef(Body).slice(I, N)) : std::nullopt) {
          Found.push_back(*G);
          I += N - 1;
          break;
        }
  }

  std::optional<ByteStores> sequence(llvm::ArrayRef<const Stmt *> Stmts) const {
    const int64_t N = int64_t(Stmts.size());
    std::vector<int64_t> Shift(Stmts.size(), -1), Offset;
    std::optional<ByteStores> G;
    std::optional<int64_t> Least;
    std::vector<std::pair<int64_t, int64_t>> All;
    for (const Stmt *S : Stmts) {
      const auto *Store = dyn_cast<BinaryOperator>(S);
      if (!Store || Store->getOpcode() != BO_Assign)
        return std::nullopt;
      auto To = targetOf(Store->getLHS(), C);
      auto B = byteOf(Store->getRHS(), nullptr, C);
      if (!To || !B)
        return std::nullopt;
      Index At;
      addTerms(To->Index, nullptr, C, At);
      if (!G)
        G = ByteStores{Stmts.front(), Stmts.back(), To->Base, At, B->Value, unsigned(N), true, Store};
      else if (!same(G->Base, To->Base, C) || !same(G->Value, B->Value, C) || G->At.Rest != At.Rest)
        return std::nullopt;
      All.push_back({At.L.Constant, B->Shift.Constant});
      Least = std::min(Least.value_or(At.L.Constant), At.L.Constant);
    }
    bool Little = true, Big = true;
    std::set<int64_t> Places;
    for (auto [Place, Bits] : All) {
      Places.insert(Place);
      Little &= Bits == 8 * (Place - *Least);
      Big &= Bits == 8 * (N - 1 - (Place - *Least));
    }
    if ((!Little && !Big) || int64_t(Places.size()) != N || *Places.rbegin() - *Least != N - 1)
      return std::nullopt;
    G->At.L.Constant = *Least;
    G->Little = Little;
    return G;
  }

  static bool uses(const Stmt *S, const VarDecl *V) {
    const auto *D = dyn_cast_or_null<DeclRefExpr>(S);
    return S && ((D && D->getDecl() == V) || llvm::any_of(S->children(), [&](const Stmt *X) { return uses(X, V); }));
  }

  const ASTContext &C;
};

} // namespace

std::vector<ByteStores> findByteStores(const Stmt *S, ASTContext &C) {
  StoreFinder F(C);
  F.find(S);
  return std::move(F.Found);
}

} // namespace whyhot::fix
