#include "ast/vector_bool/vector_bool.h"

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
      copy(CC, CC->getType());
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
      return copy(E, Object->getType());
    QualType T = Object->getType();
    if (T->isPointerType())
      T = T->getPointeeType();
    const bool Element = isVectorBool(T) && touchesElement(Method);
    if (!Element && !(isBitIterator(T) && Method->getOverloadedOperator() == OO_Star))
      return;
    if (const Loop *L = F.Loops.of(E).In)
      report(E, L, "one bit is masked out of a word for every element");
  }

  static bool touchesElement(const CXXMethodDecl *M) {
    if (M->getOverloadedOperator() == OO_Subscript)
      return true;
    return M->getIdentifier() && llvm::StringSwitch<bool>(M->getName())
                                     .Cases("at", "push_back", "emplace_back", "insert", "front", "back", true)
                                     .Default(false);
  }

  void copy(const Expr *E, QualType T) {
    const Loop *L = F.Loops.of(E).In;
    if (isVectorBool(T))
      return report(E, L, "the whole bit vector is copied");
    if (!L)
      return;
    if (const FieldDecl *Field = holdsVectorBool(recordOf(T)))
      report(E, L, "the copy takes its std::vector<bool> " + Field->getQualifiedNameAsString() + " along");
  }

  void report(const Expr *E, const Loop *L, std::string Note) {
    Match M = R.in("vector-bool", F.Function, L, E);
    M.First = R.span(E);
    M.Notes.push_back(std::move(Note));
    if (Reported.insert({L, M.Notes.front()}).second)
      R.add(std::move(M), F.Function);
  }

  const FunctionFacts &F;
  Report &R;
  std::set<std::pair<const Loop *, std::string>> Reported;
};

void inFunction(const FunctionFacts &F, Report &R) {
  if (R.wants("vector-bool"))
    Walker(F, R).visit(F.Function->getBody());
}

} // namespace

const Rule VectorBoolRule = {inFunction, nullptr};

} // namespace whyhot::ast
