// bit-by-bit: loops that set one bit after the other in memory, each by reading,
// changing and writing its byte or word.
#include "ast/report.h"

#include "ast/facts/induction.h"
#include "ast/facts/types.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

std::optional<uint64_t> number(const Expr *E, const ASTContext &C) {
  Expr::EvalResult Known;
  if (E->isValueDependent() || !E->EvaluateAsInt(Known, C) || Known.Val.getInt().isNegative())
    return std::nullopt;
  return Known.Val.getInt().getZExtValue();
}

// The element that an expression names: its index, null where it has none.
const Expr *indexOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E))
    return AS->getIdx();
  if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(E);
      OC && OC->getOperator() == OO_Subscript && OC->getNumArgs() == 2)
    return OC->getArg(1);
  return nullptr;
}

// A number of the form i >> k or i / 2^k: which word a bit is in.
struct Word {
  const Expr *Of = nullptr;
  uint64_t Bits = 0; // 2^k
};

std::optional<Word> wordOf(const Expr *E, const ASTContext &C) {
  constexpr uint64_t Widest = 64;
  const auto *BO = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
  if (!BO || (BO->getOpcode() != BO_Shr && BO->getOpcode() != BO_Div))
    return std::nullopt;
  std::optional<uint64_t> N = number(BO->getRHS(), C);
  if (N && BO->getOpcode() == BO_Shr)
    N = *N < Widest ? uint64_t{1} << *N : 0;
  if (!N || *N < 8 || *N > Widest || (*N & (*N - 1)) != 0)
    return std::nullopt;
  return Word{BO->getLHS(), *N};
}

// Is it the bit's number in its word, i & (2^k − 1) or i % 2^k, from either end?
bool isBitNumber(const Expr *E, const Word &W, const VarDecl *Counter, const ASTContext &C) {
  const auto *BO = dyn_cast<BinaryOperator>(E->IgnoreParenCasts());
  if (!BO)
    return false;
  if (BO->getOpcode() == BO_Sub || BO->getOpcode() == BO_Xor) // 7 - (i & 7)
    return number(BO->getLHS(), C) && isBitNumber(BO->getRHS(), W, Counter, C);
  const bool Rest = BO->getOpcode() == BO_Rem, And = BO->getOpcode() == BO_And;
  const auto N = Rest || And ? number(BO->getRHS(), C) : std::nullopt;
  return N && *N == (Rest ? W.Bits : W.Bits - 1) && mentions(BO->getLHS(), Counter);
}

// Is something shifted to the place of the bit? A shift by a multiple of the number
// puts bytes into words.
bool shiftsToBit(const Stmt *S, const Word &W, const VarDecl *Counter, const ASTContext &C) {
  if (!S)
    return false;
  if (const auto *BO = dyn_cast<BinaryOperator>(S);
      BO && (BO->getOpcode() == BO_Shl || BO->getOpcode() == BO_Shr) && isBitNumber(BO->getRHS(), W, Counter, C))
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return shiftsToBit(Child, W, Counter, C); });
}

class Walker {
public:
  Walker(const FunctionFacts &F, Report &R) : F(F), R(R) {}

  void visit(const Stmt *S) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const auto *BO = dyn_cast<BinaryOperator>(S); BO && BO->isAssignmentOp())
      update(BO, BO->getLHS(), BO->getRHS(), BO->getOpcode());
    for (const Stmt *Child : S->children())
      visit(Child);
  }

private:
  void update(const BinaryOperator *BO, const Expr *To, const Expr *With, BinaryOperatorKind Opcode) {
    const Loop *L = F.Loops.of(BO).In;
    const Expr *Index = L ? indexOf(To) : nullptr;
    const VarDecl *Counter = Index ? counterOf(*L) : nullptr;
    if (!Counter ||
        (Opcode != BO_OrAssign && Opcode != BO_AndAssign && Opcode != BO_XorAssign && !readsAgain(With, Opcode)))
      return;
    const std::optional<Word> W = wordOf(Index, F.Context);
    if (!W || strideOf(W->Of, Counter, F.Context).What != Stride::Constant ||
        strideOf(W->Of, Counter, F.Context).Elements != 1)
      return;
    if (!shiftsToBit(With, *W, Counter, F.Context) || !Reported.insert(L).second)
      return;
    Match M = R.in("bit-by-bit", F.Function, L, BO);
    M.Write = R.span(BO);
    M.Location = R.span(To).Text;
    M.Notes.push_back("every bit is a load, a change and a store of its " + std::to_string(W->Bits) +
                      " bits, and waits for the store of the bit before");
    M.Target = R.written(BO);
    R.add(std::move(M), F.Function);
  }

  // x = x | mask
  static bool readsAgain(const Expr *With, BinaryOperatorKind Opcode) {
    const auto *BO = Opcode == BO_Assign ? dyn_cast<BinaryOperator>(With->IgnoreParenCasts()) : nullptr;
    return BO && BO->isBitwiseOp() && BO->getOpcode() != BO_Xor && (indexOf(BO->getLHS()) || indexOf(BO->getRHS()));
  }

  const FunctionFacts &F;
  Report &R;
  std::set<const Loop *> Reported;
};

void inFunction(const FunctionFacts &F, Report &R) {
  if (R.wants("bit-by-bit") && !F.Loops.all().empty())
    Walker(F, R).visit(F.Function->getBody());
}

const Registered<Rule> BitByBitRule("bit-by-bit", {inFunction, nullptr});

} // namespace

} // namespace whyhot::ast
