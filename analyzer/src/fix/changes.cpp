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
#include "fix/reach.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {

using ast::Effect;
using Kind = Judgement::Kind;

// All that runs after a local before the loop is set: also what runs once, in the
// init statement of a for loop.
void Changes::addLoop(const ast::Loop &L, Statements Out) {
  Exits = std::move(Out);
  if (const auto *For = dyn_cast<ForStmt>(L.Statement)) {
    visit(For->getInit());
    visit(For->getInc());
    if (For->getConditionVariableDeclStmt())
      visit(For->getConditionVariableDeclStmt());
  }
  if (const auto *While = dyn_cast<WhileStmt>(L.Statement); While && While->getConditionVariableDeclStmt())
    visit(While->getConditionVariableDeclStmt());
  if (const auto *Range = dyn_cast<CXXForRangeStmt>(L.Statement)) {
    visit(Range->getInit());
    visit(Range->getRangeStmt());
    visit(Range->getBeginStmt());
    visit(Range->getEndStmt());
    visit(Range->getInc());
    visit(Range->getLoopVarStmt());
  }
  visit(L.Condition);
  visit(L.Body);
}

// Collects the effects of a statement, operands first. A destructor that is not
// seen to the end is an opaque effect where its object is declared.
void Changes::visit(const Stmt *St) {
  if (!St || isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(St) || Exits.contains(St))
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
  copied(St);
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

// A class that is copied whole is read whole; in C it is a load as any other.
void Changes::copied(const Stmt *St) {
  const Expr *From = nullptr;
  if (const auto *CC = dyn_cast<CXXConstructExpr>(St))
    From = CC->getConstructor()->isTrivial() && CC->getNumArgs() == 1 ? CC->getArg(0) : nullptr;
  else if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(St))
    From =
        OC->isAssignmentOp() && OC->getDirectCallee() && OC->getDirectCallee()->isTrivial() ? OC->getArg(1) : nullptr;
  if (From && From->isGLValue())
    All.push_back({Effect::Read, F.Known.effects().paths().lvalue(From), From->getType(), From, From});
}

// The effects of a body that is seen in part are no answer: the call itself is
// kept as well.
void Changes::addCall(const Expr *Call, const FunctionDecl *Callee) {
  if (!Callee)
    return; // effects say opaque
  const ast::Summary &Sum = F.Known.of(Callee);
  if (const auto *Plain = dyn_cast<CallExpr>(Call); Plain && Sum.Harmless)
    Readers.push_back(Plain);
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

// One load against an object that is to be kept elsewhere meanwhile. What a store
// there could not change, a load there does not read.
Kind Changes::load(const Effect &X, const Effect &Object, const Value &V, std::string &Why) const {
  const ast::AccessPath &W = X.Where.At, &P = Object.Where.At;
  const bool Whole = !X.Type.isNull() && X.Type->isRecordType();
  if (W == P || (Whole && P.leadsThrough(W))) {
    Why = "the loop reads it by another name";
    return Judgement::Changes;
  }
  if (!Whole && P.startsWith(W)) // a pointer on the way
    return Judgement::Stays;
  const Kind K = store(X, Object, V, Why);
  if (K > Judgement::Assumed)
    Why = "the loop reads what may be the same object";
  else if (K == Judgement::Assumed)
    Why = "what is read there is no part of `" + V.Text + "`";
  return K;
}

// Can a library function, which keeps no pointer, read the object through one that it
// is handed?
Kind Changes::handedOut(const Expr *Call, const Effect &Object, const Value &V, std::string &Why) const {
  const ast::AccessPath &Read = Object.Where.At;
  Kind Worst = Judgement::Stays;
  for (const Expr *A : cast<CallExpr>(Call)->arguments()) {
    if (!A->getType()->isPointerType() && !A->isGLValue())
      continue;
    ast::Path P = A->isGLValue() ? F.Known.effects().paths().lvalue(A) : F.Known.effects().paths().value(A);
    if (!A->isGLValue() && !P.Address)
      P.At.follow();
    if (Read.leadsThrough(P.At)) {
      Why = "a call reads it";
      return Judgement::Changes;
    }
    if ((P.At.isDirect() && Own.isPrivate(P.At.variable())) || (Own.isOwnMemory(P) && !Own.isOwnMemory(Object.Where)))
      continue;
    const QualType T = A->isGLValue() ? A->getType() : A->getType()->getPointeeType();
    if (T->isFunctionType() || (T->isRecordType() && holds(T, Object, F.Context))) {
      Why = "a call may read it";
      return Judgement::Changes;
    }
    if (T->isRecordType() || !mayWriteThrough(T, Object))
      continue;
    Why = "the call does not read `" + V.Text + "`";
    Worst = Judgement::Assumed;
  }
  return Worst;
}

void Changes::note(Judgement &J, Kind K, const std::string &Why, const Expr *Site) const {
  if (K == Judgement::Stays || K < J.What)
    return;
  if (K > J.What)
    J.What = K, J.Why.clear();
  const Remark R = S.remark(Why, Site ? Site->getBeginLoc() : SourceLocation());
  if (!llvm::is_contained(J.Why, R))
    J.Why.push_back(R);
}

Judgement Changes::judgeAlone(const Value &V, llvm::function_ref<bool(const Expr *)> IsOwn) const {
  Judgement Out;
  const Effect &Object = V.Reads.back();
  for (const Effect &X : All) {
    std::string Why;
    const bool Here = X.Site && X.Site == X.Inner && IsOwn(X.Site);
    if (X.What == Effect::Read) {
      if (!Here)
        note(Out, load(X, Object, V, Why), Why, X.Site);
      continue;
    }
    for (const Effect &R : V.Reads) {
      if (Here && &R == &Object)
        continue;
      Kind K = Judgement::Changes;
      const bool Assigns = isa_and_nonnull<BinaryOperator, CXXOperatorCallExpr>(X.Site);
      const auto *Call = dyn_cast_or_null<CallExpr>(X.Site);
      const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
      if (X.What != Effect::Opaque)
        K = store(X, R, V, Why);
      else if (!X.Type.isNull() && X.Type->isRecordType() && Assigns)
        K = record(X, R, Why);
      else if (Callee && isPlainLibraryCall(Callee)) {
        K = call(X, R, V, Why);
        std::string Reads;
        if (&R == &Object)
          note(Out, handedOut(Call, Object, V, Reads), Reads, X.Site);
      } else
        Why = "a call whose body is not seen may read it";
      note(Out, K, Why, X.Site);
    }
  }
  for (const CallExpr *Call : Readers) {
    std::string Why;
    note(Out, handedOut(Call, Object, V, Why), Why, Call);
  }
  return Out;
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
