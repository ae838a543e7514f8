// column-walk: inner loops that go down the columns of an array that lies in rows.
#include "ast/report.h"

#include "ast/facts/containers.h"
#include "ast/facts/induction.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace whyhot::ast {
namespace {

// A step from which every access is in another cache line, and an array that does
// not stay in the first-level cache.
constexpr uint64_t CacheLine = 64, Cache = 32 << 10;
// A row and a column shorter than this fit in it, whatever the element.
constexpr uint64_t Short = 32;

std::optional<uint64_t> number(const Expr *E, const ASTContext &C) {
  Expr::EvalResult Known;
  if (!E || E->isValueDependent() || !E->EvaluateAsInt(Known, C) || Known.Val.getInt().isNegative())
    return std::nullopt;
  return Known.Val.getInt().getZExtValue();
}

// x[i], of a built-in array, a pointer or a container with rows next to each other.
struct Subscript {
  const Expr *Base = nullptr, *Index = nullptr;
};

std::optional<Subscript> subscript(const Stmt *S) {
  if (const auto *AS = dyn_cast<ArraySubscriptExpr>(S))
    return Subscript{AS->getBase()->IgnoreParenImpCasts(), AS->getIdx()};
  const auto *OC = dyn_cast<CXXOperatorCallExpr>(S);
  if (!OC || OC->getOperator() != OO_Subscript || OC->getNumArgs() != 2)
    return std::nullopt;
  const std::string Name = containerName(OC->getArg(0)->getType());
  const auto *RD = OC->getArg(0)->getType()->getAsCXXRecordDecl();
  if (Name != "std::vector" && !(RD && RD->getIdentifier() && RD->isInStdNamespace() && RD->getName() == "array"))
    return std::nullopt;
  return Subscript{OC->getArg(0)->IgnoreParenImpCasts(), OC->getArg(1)};
}

// The nest of two loops: the inner one counts rows, the outer one columns.
struct Nest {
  const Loop *Inner = nullptr;
  const VarDecl *Row = nullptr, *Column = nullptr;
  const Expr *Rows = nullptr, *Columns = nullptr; // the bounds
  const FunctionDecl *In = nullptr;               // where the inner loop is
  const FunctionDecl *Caller = nullptr;           // where the outer one is, if that is another
};

bool hasLoop(const LoopNest &Loops, const Loop &Outer) {
  return llvm::any_of(Loops.all(), [&](const auto &L) { return L->Parent == &Outer; });
}

class Walker {
public:
  Walker(const FunctionFacts &F, Report &R) : F(F), R(R), C(F.Context) {}

  void run() {
    for (const auto &L : F.Loops.all()) {
      if (const VarDecl *Column = counterOf(*L))
        calls(L->Body, *L, Column);
      if (!L->Parent || hasLoop(F.Loops, *L))
        continue;
      if (const VarDecl *Column = counterOf(*L->Parent))
        nest({L.get(), counterOf(*L), Column, nullptr, boundOf(*L->Parent, Column), F.Function, nullptr});
    }
  }

private:
  void nest(Nest N) {
    if (!N.Row || N.Row == N.Column)
      return;
    N.Rows = boundOf(*N.Inner, N.Row);
    if (isShort(N.Rows) || isShort(N.Columns) || mentions(N.Rows, N.Column))
      return;
    if (!mirrors(N.Inner->Body, N))
      visit(N.Inner->Body, N);
  }

  // The loops of a function of this unit that is called for each column.
  void calls(const Stmt *S, const Loop &Outer, const VarDecl *Column) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const auto *Call = dyn_cast<CallExpr>(S); Call && F.Loops.of(S).In == &Outer)
      called(*Call, Outer, Column);
    for (const Stmt *Child : S->children())
      calls(Child, Outer, Column);
  }

  void called(const CallExpr &Call, const Loop &Outer, const VarDecl *Column) {
    const FunctionDecl *Callee = Call.getDirectCallee(), *Body = nullptr;
    if (!Callee || isa<CXXOperatorCallExpr>(Call) || !Callee->hasBody(Body) || Body->isExternallyVisible() ||
        Body == F.Function)
      return;
    for (unsigned I = 0; I < Call.getNumArgs() && I < Body->getNumParams(); I++) {
      const ParmVarDecl *Parm = Body->getParamDecl(I);
      if (variable(Call.getArg(I)) != Column || Parm->getType()->isReferenceType() || writes(Body->getBody(), Parm))
        continue;
      const LoopNest Loops(Body->getBody());
      for (const auto &L : Loops.all())
        if (!L->Parent && !hasLoop(Loops, *L))
          nest({L.get(), counterOf(*L), Parm, nullptr, boundOf(Outer, Column), Body, F.Function});
    }
  }

  bool isShort(const Expr *Bound) const {
    const auto N = number(Bound, C);
    return N && *N < Short;
  }

  bool moves(const Expr *Index, const VarDecl *V, int64_t By) const {
    const Stride S = strideOf(Index, V, C);
    return S.What == Stride::Constant && (S.Elements == By || S.Elements == -By);
  }

  // Does something go down the columns when the loops are exchanged? A transposition
  // does: the cost only moves, and 2000 rows of it stay in a second-level cache.
  bool mirrors(const Stmt *S, const Nest &N) const {
    if (!S || isa<LambdaExpr>(S))
      return false;
    if (const auto Last = subscript(S); Last && moves(Last->Index, N.Row, 1)) {
      const Stride Far = strideOf(Last->Index, N.Column, C);
      const auto First = subscript(Last->Base);
      if (Far.What == Stride::Symbol || Far.What == Stride::Unknown ||
          (Far.What == Stride::Constant && std::abs(Far.Elements) > 1) || (First && moves(First->Index, N.Column, 1)))
        return true;
    }
    return llvm::any_of(S->children(), [&](const Stmt *Child) { return mirrors(Child, N); });
  }

  void visit(const Stmt *S, const Nest &N) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const auto Last = subscript(S)) {
      if (rows(*Last, N, cast<Expr>(S)) || flat(*Last, N, cast<Expr>(S)))
        return;
    }
    for (const Stmt *Child : S->children())
      visit(Child, N);
  }

  // a[row][column]
  bool rows(const Subscript &Last, const Nest &N, const Expr *E) {
    if (!moves(Last.Index, N.Column, 1) || mentions(Last.Index, N.Row))
      return false;
    const auto First = subscript(Last.Base);
    if (!First || !moves(First->Index, N.Row, 1) || mentions(First->Index, N.Column) || mentions(First->Base, N.Row) ||
        mentions(First->Base, N.Column))
      return false;
    const uint64_t Row = rowSize(Last.Base->getType()), Rows = elements(First->Base->getType());
    if ((Row && Row < CacheLine) || (Rows && Rows < Short) || (Row && Rows && Row * Rows < Cache))
      return false;
    if (!(Row && Rows) && !looksLarge(N, E->getType()))
      return false;
    report(E, N, Row && Rows, "");
    return true;
  }

  // a[row * width + column]
  bool flat(const Subscript &Last, const Nest &N, const Expr *E) {
    if (mentions(Last.Base, N.Row) || !moves(Last.Index, N.Column, 1))
      return false;
    const Stride S = strideOf(Last.Index, N.Row, C);
    const uint64_t Size = C.getTypeSizeInChars(E->getType()).getQuantity();
    const uint64_t Length = elements(Last.Base->getType());
    if (S.What == Stride::Constant) {
      const uint64_t Step = static_cast<uint64_t>(S.Elements < 0 ? -S.Elements : S.Elements) * Size;
      const auto Rows = number(N.Rows, C);
      if (Step < CacheLine || (Rows ? *Rows * Step < Cache : !looksLarge(N, E->getType())))
        return false;
      report(E, N, Rows.has_value(), "");
      return true;
    }
    if (S.What != Stride::Symbol || mentions(S.Factor, N.Column) || isNarrow(S.Factor) ||
        (Length && Length * Size < Cache) || !looksLarge(N, E->getType()))
      return false;
    report(E, N, false, R.span(S.Factor->getSourceRange()).Text);
    return true;
  }

  // Where the source does not say how large the array is: the two bounds are named
  // as those of pictures and matrices are, or are the same one over floating-point
  // numbers. Blocks of a codec, which are walked in the same way, are small.
  bool looksLarge(const Nest &N, QualType Element) const {
    const std::string Rows = nameOf(N.Rows), Columns = nameOf(N.Columns);
    if (isNamed(Columns, {"width", "w", "cols", "ncols", "columns", "numcols", "xsize", "nx"}) &&
        isNamed(Rows, {"height", "h", "rows", "nrows", "numrows", "ysize", "ny"}))
      return true;
    return !Rows.empty() && Rows == Columns && Element->isFloatingType();
  }

  static bool isNamed(StringRef Name, std::initializer_list<StringRef> Among) {
    return llvm::any_of(Among, [&](StringRef A) { return A == Name || (A.size() > 2 && Name.ends_with(A)); });
  }

  // The name of a variable, a member or a method, in lower case without underscores.
  static std::string nameOf(const Expr *E) {
    E = E->IgnoreParenCasts();
    if (const auto *Call = dyn_cast<CallExpr>(E))
      E = Call->getCallee()->IgnoreParenImpCasts();
    const NamedDecl *D = nullptr;
    if (const auto *ME = dyn_cast<MemberExpr>(E))
      D = ME->getMemberDecl();
    else if (const auto *DRE = dyn_cast<DeclRefExpr>(E))
      D = DRE->getDecl();
    if (!D || !D->getIdentifier())
      return "";
    std::string Name = D->getName().lower();
    llvm::erase(Name, '_');
    return Name;
  }

  // Interleaved channels are next to each other: their number is no row's length.
  bool isNarrow(const Expr *Factor) const {
    std::string Text = StringRef(R.span(Factor->getSourceRange()).Text).lower();
    for (const char *Word : {"chan", "comp", "bpp", "dim", "plane", "sample", "bytes", "size"})
      if (StringRef(Text).contains(Word))
        return true;
    return false;
  }

  // Bytes from one row to the next, 0 where they are separate or not known.
  uint64_t rowSize(QualType T) const {
    if (C.getAsConstantArrayType(T))
      return static_cast<uint64_t>(C.getTypeSizeInChars(T).getQuantity());
    if (elements(T))
      return static_cast<uint64_t>(C.getTypeSizeInChars(T.getNonReferenceType()).getQuantity());
    return 0;
  }

  uint64_t elements(QualType T) const {
    T = T.getNonReferenceType();
    if (const auto *AT = C.getAsConstantArrayType(T))
      return AT->getSize().getZExtValue();
    const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
    if (S && S->isInStdNamespace() && S->getName() == "array" && S->getTemplateArgs().size() == 2)
      return S->getTemplateArgs()[1].getAsIntegral().getZExtValue();
    return 0;
  }

  void report(const Expr *E, const Nest &N, bool Large, std::string Step) {
    if (!Reported.insert(N.Inner).second)
      return;
    Match M = R.in("column-walk", N.In, N.Inner, E);
    M.First = R.span(E);
    M.Location = M.First.Text;
    M.Weak = !Large;
    const std::string Outer =
        N.Caller ? "the loop that calls it, in " + N.Caller->getNameAsString() + "," : "the outer one";
    M.Notes.push_back("the inner loop counts rows (" + N.Row->getNameAsString() + ") and " + Outer + " columns (" +
                      N.Column->getNameAsString() + "): each access is a row's length" +
                      (Step.empty() ? "" : ", " + Step + " elements,") + " from the one before");
    if (N.Caller)
      M.Notes.push_back("the loops are in two functions: to exchange them, let the function do a row, and keep what it "
                        "carries down a column in an array with an entry for each");
    if (!Large)
      M.Notes.push_back("how large the array is, the source does not say: what fits into the cache costs little");
    R.add(std::move(M), N.In);
  }

  const FunctionFacts &F;
  Report &R;
  const ASTContext &C;
  std::set<const Loop *> Reported;
};

void inFunction(const FunctionFacts &F, Report &R) {
  if (R.wants("column-walk") && !F.Loops.all().empty())
    Walker(F, R).run();
}

const Registered<Rule> ColumnWalkRule("column-walk", {inFunction, nullptr});

} // namespace

} // namespace whyhot::ast
