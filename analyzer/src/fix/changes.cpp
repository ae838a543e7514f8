// May the loop change a value that is to be read once, before it? A mod/ref
// analysis of one loop, on the syntax tree.
//
// Why here: the compiler's own alias analysis answers "may alias" and is content.
// A patch needs to say which statement is in the way, in the words of the source,
// and to tell what cannot happen from what a person has to vouch for.
//
// Method. Every store and call of the loop is compared with every read of the
// value; the worst answer counts (Judgement::Kind, in rising order). Memory is
// named by access paths (ast/facts/access_path.h). Two paths are compared by
//
//  - the paths themselves: what the value is, is a part of, or is reached through;
//  - what the function shows of its own objects: a local whose address is not
//    taken, fresh memory, __restrict;
//  - the types, as in Diwan, McKinley and Moss, "Type-Based Alias Analysis"
//    (PLDI 1998): p->f and q->g are apart if f and g are different fields, and a
//    store changes objects of its own type only. What the language allows beyond
//    it (C11 6.5p7, C++ [basic.lval]) is kept to: a char-like type reaches all
//    objects, signed and unsigned are one type;
//  - for calls whose body is not seen: whether an argument leads to the object.
//
// Example. Each line stands alone in for (int X = 0; X < I.Width; X++), with
// Image &I, &J of the caller; the value is I.Width.
//
//   I.Width--;      Changes  the very path
//   J.Width = X;    Changes  the same field, of an object that may be I
//   J.Height = X;   Stays    another field
//   Q[X] = X;       Assumed  int *Q may point to I.Width, but is not known to
//   D[X] = X;       Stays    double *D: another type (Assumed without strict aliasing)
//   B[X] = 0;       Assumed  uint8_t *B may point to any byte
//   V[X] = 0;       Stays    std::vector<uint8_t> &V: its elements are its own
//   note(X);        Assumed  its body is not seen, and it is not given I
//   scale(&I);      Changes  its body is not seen, and it is given I
#include "fix/changes.h"

#include "ast/facts/arguments.h"
#include "ast/facts/types.h"
#include "fix/library.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {
namespace {

using ast::Effect;
using Kind = Judgement::Kind;

bool inUnion(const FieldDecl *F) { return F->getParent()->isUnion() || F->getParent()->isAnonymousStructOrUnion(); }

// One type for all that may be accessed as each other: qualifiers dropped, an
// enumeration as its underlying type, signed as unsigned. unsigned for const int.
QualType scalarKind(QualType T, const ASTContext &C) {
  T = C.getCanonicalType(T).getUnqualifiedType();
  if (const auto *E = T->getAs<EnumType>(); E && !E->getDecl()->getIntegerType().isNull())
    T = C.getCanonicalType(E->getDecl()->getIntegerType()).getUnqualifiedType();
  if (T->isIntegerType() && !T->isBooleanType() && !T->isUnsignedIntegerType())
    T = C.getCorrespondingUnsignedType(T);
  return C.getCanonicalType(T).getUnqualifiedType();
}

// May a store of the one type change an object of the other? An unknown type may
// be any.
bool sameScalar(QualType A, QualType B, const ASTContext &C) {
  if (A.isNull() || B.isNull())
    return true;
  A = A.getNonReferenceType(), B = B.getNonReferenceType();
  if (A->isPointerType() && B->isPointerType()) // void * and T * may stand for each other
    return A->isVoidPointerType() || B->isVoidPointerType() ||
           C.hasSameUnqualifiedType(A->getPointeeType(), B->getPointeeType());
  return scalarKind(A, C) == scalarKind(B, C);
}

// Could a callee that is given an object of this type get from it to an object of
// the class (any class where Owner is null)? Through pointers, members, bases and
// the template arguments of library classes: from std::vector<Shape> & to what
// Shape points to. What is not seen, is deep or can run other code leads
// everywhere; a scalar leads nowhere.
bool leadsTo(QualType T, const CXXRecordDecl *Owner, unsigned Depth = 0) {
  while (T->isPointerType() || T->isReferenceType() || T->isArrayType())
    T = T->isArrayType() ? QualType(T->getArrayElementTypeNoTypeQual(), 0) : T->getPointeeType();
  if (T->isFunctionType())
    return true;
  const auto *R = T->getAsCXXRecordDecl();
  if (!R)
    return T->isVoidType() && Depth > 0;
  if (!Owner || R->getCanonicalDecl() == Owner->getCanonicalDecl())
    return true;
  if (isStd(R)) {
    if (R->getIdentifier() && llvm::StringSwitch<bool>(R->getName())
                                  .Cases("function", "any", "thread", "future", "move_only_function", true)
                                  .Default(false))
      return true;
    if (const auto *CT = dyn_cast<ClassTemplateSpecializationDecl>(R))
      for (const TemplateArgument &A : CT->getTemplateArgs().asArray())
        if (A.getKind() == TemplateArgument::Type && A.getAsType()->getAsCXXRecordDecl() &&
            (Depth > 4 || leadsTo(A.getAsType(), Owner, Depth + 1)))
          return true;
    return false;
  }
  R = R->getDefinition();
  if (!R || Depth > 4)
    return true;
  if (R->isDerivedFrom(Owner) || Owner->hasDefinition())
    if (R->isDerivedFrom(Owner) || Owner->getDefinition()->isDerivedFrom(R))
      return true;
  for (const CXXBaseSpecifier &B : R->bases())
    if (leadsTo(B.getType(), Owner, Depth + 1))
      return true;
  return llvm::any_of(R->fields(), [&](const FieldDecl *F) { return leadsTo(F->getType(), Owner, Depth + 1); });
}

// Is what R reads somewhere in an object of the record type: the field itself, or,
// for what is no field, any scalar of its type?
bool holds(QualType Record, const Effect &R, const ASTContext &C, unsigned Depth = 0) {
  const auto *RD = Record->getAsRecordDecl();
  if (!RD || !(RD = RD->getDefinition()) || Depth > 6)
    return true;
  if (const FieldDecl *F = R.Where.At.fieldWithin(); F && F->getParent()->getCanonicalDecl() == RD->getCanonicalDecl())
    return true;
  if (const auto *CR = dyn_cast<CXXRecordDecl>(RD))
    for (const CXXBaseSpecifier &B : CR->bases())
      if (holds(B.getType(), R, C, Depth + 1))
        return true;
  for (const FieldDecl *F : RD->fields()) {
    QualType T = C.getBaseElementType(F->getType());
    if (T->isRecordType() ? holds(T, R, C, Depth + 1) : !R.Where.At.fieldWithin() && sameScalar(T, R.Type, C))
      return true;
  }
  return false;
}

} // namespace

// All that runs in an iteration: of a for loop its init statement runs once,
// before, and is left out.
void Changes::addLoop(const ast::Loop &L) {
  if (const auto *For = dyn_cast<ForStmt>(L.Statement))
    visit(For->getInc());
  if (const auto *For = dyn_cast<ForStmt>(L.Statement); For && For->getConditionVariableDeclStmt())
    visit(For->getConditionVariableDeclStmt());
  if (const auto *While = dyn_cast<WhileStmt>(L.Statement); While && While->getConditionVariableDeclStmt())
    visit(While->getConditionVariableDeclStmt());
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(L.Statement)) {
    visit(Range->getInc());
    visit(Range->getLoopVarStmt());
  }
  visit(L.Condition);
  visit(L.Body);
}

// Collects the effects of a statement, operands first. A destructor that is not
// seen to the end is an opaque effect where its object is declared.
void Changes::visit(const Stmt *St) {
  if (!St || isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(St))
    return;
  if (isa<LambdaExpr>(St)) // what calls it is opaque
    return;
  for (const Stmt *Child : St->children())
    visit(Child);
  if (isa<CXXNewExpr>(St)) // its constructor is a statement of its own
    return;
  if (const auto *Call = dyn_cast<CallExpr>(St))
    addCall(Call, Call->getDirectCallee());
  else if (const auto *CC = dyn_cast<CXXConstructExpr>(St); CC && !CC->getConstructor()->isTrivial())
    addCall(CC, CC->getConstructor());
  F.Known.effects().of(St, All);
  auto destroyed = [&](const Decl *D) {
    const auto *V = dyn_cast<VarDecl>(D);
    const CXXRecordDecl *R = V ? V->getType()->getAsCXXRecordDecl() : nullptr;
    if (R && R->hasDefinition() && !R->hasTrivialDestructor() && !isStd(R) && R->getDestructor() &&
        !F.Known.of(R->getDestructor()).Whole)
      All.push_back({Effect::Opaque, {}, V->getType(), nullptr, nullptr});
  };
  if (const auto *DS = dyn_cast<DeclStmt>(St))
    llvm::for_each(DS->decls(), destroyed);
}

// The effects of a body that is seen in part are no answer: the call itself is
// kept as well.
void Changes::addCall(const Expr *Call, const FunctionDecl *Callee) {
  if (!Callee)
    return; // effects say opaque
  const ast::Summary &Sum = F.Known.of(Callee);
  if (Sum.Transparent && !Sum.Whole)
    All.push_back({Effect::Opaque, {}, {}, Call, Call});
}

// Does the store go to memory that only holds bytes: elements of a library
// container, or an array of a char-like type?
bool Changes::isOwnStorage(const Effect &X) const {
  if (Own.isOwnMemory(X.Where))
    return true;
  if (X.Where.Cast)
    return false;
  const Expr *E = X.Inner ? X.Inner->IgnoreParenImpCasts() : nullptr;
  if (const auto *BO = dyn_cast_or_null<BinaryOperator>(E))
    E = BO->getLHS()->IgnoreParenImpCasts();
  else if (const auto *UO = dyn_cast_or_null<UnaryOperator>(E))
    E = UO->getSubExpr()->IgnoreParenImpCasts();
  if (!E)
    return false;
  if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E))
    return AS->getBase()->IgnoreParenImpCasts()->getType()->isArrayType();
  if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E))
    if (const Expr *Object = ast::objectOf(Call))
      if (const auto *R = Object->getType()->getAsCXXRecordDecl(); isStd(R) && R->getIdentifier())
        return llvm::StringSwitch<bool>(R->getName())
            .Cases("vector", "basic_string", "array", "deque", true)
            .Default(false);
  return false;
}

// A store through a char-like type, which by the language may reach anything.
Kind Changes::bytes(const Effect &X, const Effect &R, const Value &V, std::string &Why) const {
  if (isOwnStorage(X) && !ast::isCharLike(R.Type, F.Context))
    return Judgement::Stays;
  if (const FieldDecl *Field = R.Where.At.field(); Field && isStd(Field->getParent()))
    return Judgement::Stays; // a library object is written by its members alone
  Why = "the byte that is written is no part of `" + V.Text + "`";
  return Judgement::Assumed;
}

// One store against one read. The order matters: what the paths say is certain,
// then what the function shows of its objects, then what the types exclude; what
// is left is Changes where both are the same field, else Assumed.
Kind Changes::store(const Effect &X, const Effect &R, const Value &V, std::string &Why) const {
  const ast::AccessPath &W = X.Where.At, &P = R.Where.At;
  const VarDecl *Root = W.variable(), *Read = P.variable();
  const bool OwnVariable = W.isDirect() && Own.isPrivate(Root);
  auto changed = [&] {
    Why = "the loop assigns what `" + V.Text + "` is read from";
    if (OwnVariable)
      return Judgement::Varies;
    return W == P && X.Where.Exact && R.Where.Exact && !X.Where.Cast ? Judgement::Updates : Judgement::Changes;
  };
  if (P.leadsThrough(W) || P.dependsOn(W))
    return changed();
  if (W.isDirect() && Root && P.isDirect() && Read)
    return W.mayOverlap(P) ? changed() : Judgement::Stays;
  if (OwnVariable || (P.isDirect() && Own.isPrivate(Read)))
    return Judgement::Stays;
  if (!X.Type.isNull() && X.Type->isRecordType())
    return record(X, R, Why);
  if (const ast::AccessPath From = Own.castFrom(Root); !From.empty()) { // one memory under two types
    if (P.startsWith(From))
      return changed();
    Why = "`" + Root->getName().str() + "` points to memory of another type, and not to `" + V.Text + "`";
    return Judgement::Assumed;
  }
  if (Own.isOwnMemory(X.Where) && !Own.isOwnMemory(R.Where))
    return Judgement::Stays;
  if ((ast::Locals::isRestrict(Root) || ast::Locals::isRestrict(Read)) && Root != Read)
    return Judgement::Stays;
  const FieldDecl *WF = W.fieldWithin(), *PF = P.fieldWithin();
  if (WF && PF && WF->getCanonicalDecl() != PF->getCanonicalDecl() && !inUnion(WF) && !inUnion(PF))
    return Judgement::Stays;
  if (WF && WF == PF && W.sharesObjectWith(P)) // an element, of an array of which the other is one
    return changed();
  if (X.What == Effect::CharStore || ast::isCharLike(X.Type, F.Context))
    return bytes(X, R, V, Why);
  if (!sameScalar(X.Type, R.Type, F.Context)) {
    if (Strict)
      return Judgement::Stays;
    Why = "the store of another type does not reach `" + V.Text + "` (the unit is built with -fno-strict-aliasing)";
    return Judgement::Assumed;
  }
  if (const FieldDecl *Field = P.field(); Field && isStd(Field->getParent()) && !(WF && isStd(WF->getParent())))
    return Judgement::Stays;
  if (WF && PF) {
    Why = "the loop writes the same member of an object that may be this one";
    return Judgement::Changes;
  }
  Why = "the store, of the type that `" + V.Text + "` has, goes elsewhere";
  return Judgement::Assumed;
}

// An aggregate is assigned: it changes all that it may hold. Pixels[0] = P can
// change the Red of another pixel, but no Image::Width.
Kind Changes::record(const Effect &X, const Effect &R, std::string &Why) const {
  if (!holds(X.Type, R, F.Context))
    return Judgement::Stays;
  Why = "an object is assigned that may hold it";
  return Judgement::Changes;
}

// What a library function is handed as a plain pointer it may write to: memcpy(P, …)
// changes what P points to, of any type, qsort(P, …) too. What lies in a library's own
// object is written by its members alone.
bool Changes::mayWriteThrough(QualType T, const Effect &R) const {
  if (T->isRecordType() || T->isFunctionType())
    return false;
  if (const FieldDecl *Field = R.Where.At.field(); Field && isStd(Field->getParent()))
    return false;
  return !Strict || T->isVoidType() || ast::isCharLike(T, F.Context) || sameScalar(T, R.Type, F.Context);
}

// A call whose body is not seen to the end. It can change what it is handed in a
// way that lets it write: the object of a non-const method, a non-const pointer or
// reference, a class by value that points on; and anything, where it runs code of
// the program (a callback) or lets other threads run. A function that keeps a
// pointer from before is the assumption; library functions keep none, and what they
// may write through a plain pointer is assumed to be something else.
Kind Changes::call(const Effect &X, const Effect &R, const Value &V, std::string &Why) const {
  if (R.Where.At.isDirect() && Own.isPrivate(R.Where.At.variable()))
    return Judgement::Stays;
  if (synchronises(X.Inner) || synchronises(X.Site)) {
    Why = "the loop synchronises with other threads";
    return Judgement::Changes;
  }
  const Expr *E = X.Site;
  if (!E || !isa<CallExpr, CXXConstructExpr>(E)) {
    Why = X.Type.isNull() ? "the loop synchronises with other threads, or runs assembly, or frees memory"
                          : "a destructor runs in the loop whose body is not seen";
    return Judgement::Changes;
  }
  const FunctionDecl *Callee = nullptr;
  if (const auto *CC = dyn_cast<CXXConstructExpr>(E))
    Callee = CC->getConstructor();
  else
    Callee = cast<CallExpr>(E)->getDirectCallee();
  if (!Callee) {
    Why = "a function is called through a pointer";
    return Judgement::Changes;
  }
  const std::string Name = Callee->getQualifiedNameAsString();
  const bool Library = isStd(Callee) || isPlainLibraryCall(Callee);
  const CXXRecordDecl *Owner = V.Owner;
  bool Reaches = false, Writes = false;
  auto pass = [&](const Expr *A, QualType T, bool Mutable) {
    if (!A)
      return;
    Reaches |= runsForeignCode(A->getType());
    if (!Mutable)
      return;
    ast::Path P = A->isGLValue() ? F.Known.effects().paths().lvalue(A) : F.Known.effects().paths().value(A);
    if (!A->isGLValue() && !P.Address)
      P.At.follow();
    const ast::AccessPath &Given = P.At, &Read = R.Where.At;
    const bool Itself = Read.leadsThrough(Given);
    const bool Apart = Given.isDirect() && Given.variable() && Read.isDirect() && Read.variable() &&
                       Given.variable() != Read.variable();
    if (Itself || (!Apart && T->getAsCXXRecordDecl() && Owner && leadsTo(T, Owner)))
      Reaches = true;
    const bool Hidden = Apart || (Given.isDirect() && Own.isPrivate(Given.variable())) ||
                        (Own.isOwnMemory(P) && !Own.isOwnMemory(R.Where));
    Writes |= !Hidden && mayWriteThrough(T, R);
  };
  const auto *M = dyn_cast<CXXMethodDecl>(Callee);
  if (M && !M->isStatic() && !isa<CXXConstructorDecl>(M))
    if (const Expr *Object = ast::objectOf(E)) {
      QualType T = Object->getType()->isPointerType() ? Object->getType()->getPointeeType() : Object->getType();
      pass(Object, T, !M->isConst());
    }
  for (const ParmVarDecl *P : Callee->parameters()) {
    QualType T = P->getType();
    const bool Indirect = T->isPointerType() || T->isReferenceType();
    QualType To = Indirect ? T->getPointeeType() : T;
    Reaches |= runsForeignCode(T);
    pass(ast::argumentFor(E, P), To, Indirect ? !To.isConstQualified() : To->getAsCXXRecordDecl() != nullptr);
  }
  if (Reaches) {
    Why = "`" + Name + "` gets the object that `" + V.Text + "` is part of, and may change it";
    return Judgement::Changes;
  }
  if (Library) {
    if (!Writes)
      return Judgement::Stays;
    Why = "`" + Name + "` does not write to `" + V.Text + "`";
    return Judgement::Assumed;
  }
  Why = "`" + Name + "`, whose body is not seen, does not change `" + V.Text + "`";
  return Judgement::Assumed;
}

// The worst of all answers, with its reasons: an assumption is not worth telling
// where something else changes the value for certain.
Judgement Changes::judge(const Value &V) const {
  Judgement Out;
  std::set<std::string> Said;
  for (const Effect &X : All) {
    if (X.What == Effect::Read)
      continue;
    for (const Effect &R : V.Reads) {
      std::string Why;
      Kind K = Judgement::Stays;
      const auto *Assign = dyn_cast_or_null<BinaryOperator>(X.Site);
      if (X.What == Effect::Opaque && !X.Type.isNull() && X.Type->isRecordType() && X.Site &&
          (Assign || isa<CXXOperatorCallExpr>(X.Site)))
        K = record(X, R, Why);
      else if (X.What == Effect::Opaque)
        K = call(X, R, V, Why);
      else
        K = store(X, R, V, Why);
      if (K == Judgement::Stays)
        continue;
      if (K > Out.What)
        Out.What = K, Out.Why.clear(), Said.clear();
      if (K == Out.What && Said.insert(Why).second)
        Out.Why.push_back(S.remark(Why, X.Site ? X.Site->getBeginLoc() : SourceLocation()));
      break;
    }
  }
  return Out;
}

} // namespace whyhot::fix
