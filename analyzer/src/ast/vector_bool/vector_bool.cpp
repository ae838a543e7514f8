// vector-bool: elements of std::vector<bool> are bits behind a proxy. Loops over
// them and copies of them, alone or inside a class, are slow.
#include "ast/report.h"

#include "ast/facts/arguments.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::ast {
namespace {

constexpr unsigned MaxNesting = 6;

const CXXRecordDecl *recordOf(QualType T) { return T.getNonReferenceType()->getAsCXXRecordDecl(); }

bool isVectorBool(QualType T) {
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(recordOf(T));
  return S && S->isInStdNamespace() && S->getName() == "vector" && S->getTemplateArgs().size() > 0 &&
         S->getTemplateArgs()[0].getKind() == TemplateArgument::Type &&
         S->getTemplateArgs()[0].getAsType()->isBooleanType();
}

bool isBitIterator(QualType T) {
  const CXXRecordDecl *R = recordOf(T);
  return R && R->getIdentifier() && R->isInStdNamespace() &&
         llvm::StringSwitch<bool>(R->getName())
             .Cases("_Bit_iterator", "_Bit_const_iterator", "_Bit_iterator_base", "__bit_iterator", true)
             .Default(false);
}

// The field that makes copies of the class copies of a std::vector<bool>.
const FieldDecl *holdsVectorBool(const CXXRecordDecl *R, unsigned Nesting = 0) {
  if (!R || !(R = R->getDefinition()) || Nesting > MaxNesting || R->isInStdNamespace())
    return nullptr;
  for (const FieldDecl *F : R->fields()) {
    if (isVectorBool(F->getType()))
      return F;
    if (!F->getType()->isReferenceType())
      if (const FieldDecl *Inner = holdsVectorBool(recordOf(F->getType()), Nesting + 1))
        return Inner;
  }
  for (const CXXBaseSpecifier &B : R->bases())
    if (const FieldDecl *Inner = holdsVectorBool(recordOf(B.getType()), Nesting + 1))
      return Inner;
  return nullptr;
}

// The container that elements or iterators come from: through iterators, a
// range-for's own variables and references that are local.
const Expr *containerOf(const Expr *E) {
  for (unsigned Steps = 0; Steps < 16; Steps++) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Call = dyn_cast<CallExpr>(E); Call && objectOf(Call)) {
      E = objectOf(Call);
      continue;
    }
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V || !V->isLocalVarDecl() || !V->getInit() ||
        !(V->getType()->isReferenceType() || V->isImplicit() || isBitIterator(V->getType())))
      return E;
    const Expr *From = V->getInit()->IgnoreImplicit();
    if (const auto *CC = dyn_cast<CXXConstructExpr>(From); CC && CC->getNumArgs() == 1)
      From = CC->getArg(0)->IgnoreImplicit();
    if (isa<CXXConstructExpr>(From)) // an iterator that gets its place later
      return E;
    E = From;
  }
  return E;
}

// Does the loop do little else than touch elements: no inner loop, and no call
// but those that become a few instructions? Then all its lines are the cost;
// otherwise the lines that touch the bits are.
bool doesLittleElse(const Stmt *S, const Stmt *Top) {
  if (!S)
    return true;
  if (S != Top && isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
    return false;
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
    const CXXRecordDecl *R = Method ? Method->getParent() : nullptr;
    const bool Light =
        R && R->isInStdNamespace() && R->getIdentifier() && !Method->isCopyAssignmentOperator() &&
        (isVectorBool(R->getTypeForDecl()->getCanonicalTypeInternal()) || R->getName().starts_with("_Bit_") ||
         R->getName().starts_with("__bit_") ||
         llvm::StringSwitch<bool>(R->getName()).Cases("vector", "array", "_Vector_base", true).Default(false)) &&
        (!Method->getIdentifier() || llvm::StringSwitch<bool>(Method->getName())
                                         .Cases("insert", "erase", "resize", "assign", "reserve", "emplace", false)
                                         .Default(true));
    const bool Iterator = isa<CXXOperatorCallExpr>(Call) && Call->getDirectCallee() &&
                          Call->getDirectCallee()->getQualifiedNameAsString().starts_with("__gnu_cxx::");
    const FunctionDecl *F = Call->getDirectCallee();
    const bool Bits =
        F && F->isOverloadedOperator() && Call->getNumArgs() > 0 && isBitIterator(Call->getArg(0)->getType());
    if (!Light && !Iterator && !Bits && !(F && F->getBuiltinID()))
      return false;
  }
  if (isa<CXXConstructExpr, CXXNewExpr, CXXDeleteExpr>(S)) {
    const auto *CC = dyn_cast<CXXConstructExpr>(S);
    if (!CC || !(CC->getConstructor()->isTrivial() || isBitIterator(CC->getType())))
      return false;
  }
  for (const Stmt *Child : S->children())
    if (!doesLittleElse(Child, Top))
      return false;
  return true;
}

class Walker {
public:
  Walker(const FunctionFacts &F, Report &R) : F(F), R(R) {}

  void visit(const Stmt *S) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const auto *Call = dyn_cast<CallExpr>(S))
      call(Call);
    else if (const auto *CC = dyn_cast<CXXConstructExpr>(S);
             CC && CC->getConstructor()->isCopyConstructor() && !CC->isElidable())
      copy(CC, CC->getType(), CC->getArg(0));
    for (const Stmt *Child : S->children())
      visit(Child);
  }

private:
  void call(const CallExpr *E) {
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
    const Expr *Object = Method ? objectOf(E) : nullptr;
    if (!Object)
      return;
    if (Method->isCopyAssignmentOperator())
      return copy(E, Object->getType(), Object);
    QualType T = Object->getType();
    if (T->isPointerType())
      T = T->getPointeeType();
    const bool Element = isVectorBool(T) && touchesElement(Method);
    if (!Element && !(isBitIterator(T) && Method->getOverloadedOperator() == OO_Star))
      return;
    if (const Loop *L = F.Loops.of(E).In)
      report(E, L, containerOf(Object), "one bit is masked out of a word for every element");
  }

  static bool touchesElement(const CXXMethodDecl *M) {
    if (M->getOverloadedOperator() == OO_Subscript)
      return true;
    return M->getIdentifier() && llvm::StringSwitch<bool>(M->getName())
                                     .Cases("at", "push_back", "emplace_back", "insert", "front", "back", true)
                                     .Default(false);
  }

  void copy(const Expr *E, QualType T, const Expr *Of) {
    const Loop *L = F.Loops.of(E).In;
    if (isVectorBool(T))
      return report(E, L, containerOf(Of), "the whole bit vector is copied");
    if (!L)
      return;
    if (const FieldDecl *Field = holdsVectorBool(recordOf(T)))
      report(E, L, Of, "the copy takes its std::vector<bool> " + Field->getQualifiedNameAsString() + " along", Field);
  }

  void report(const Expr *E, const Loop *L, const Expr *Of, std::string Note, const FieldDecl *Field = nullptr) {
    Match M = R.in("vector-bool", F.Function, L, E);
    M.First = R.span(E);
    if (L && !littleElse(L)) // the loop's other work is not the cost
      M.Place = R.span(E->getSourceRange(), false);
    M.Target = Field ? R.declared(Field) : R.written(Of);
    M.Location = M.Target.Declaration;
    if (M.Location.empty())
      M.Location = M.First.Text;
    M.Notes.push_back(std::move(Note));
    if (Reported.insert({L, M.Place.Line, M.Location, M.Notes.front()}).second)
      R.add(std::move(M), F.Function);
  }

  bool littleElse(const Loop *L) {
    auto [It, New] = Little.try_emplace(L, false);
    if (New)
      It->second = doesLittleElse(L->Statement, L->Statement);
    return It->second;
  }

  const FunctionFacts &F;
  Report &R;
  std::set<std::tuple<const Loop *, unsigned, std::string, std::string>> Reported;
  llvm::DenseMap<const Loop *, bool> Little;
};

void inFunction(const FunctionFacts &F, Report &R) {
  if (R.wants("vector-bool"))
    Walker(F, R).visit(F.Function->getBody());
}

const Registered<Rule> VectorBoolRule("vector-bool", {inFunction, nullptr});

} // namespace

} // namespace whyhot::ast
