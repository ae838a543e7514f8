#include "ast/facts/path.h"

#include "ast/facts/callees.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace whyhot::ast {
namespace {

std::string tag(char Kind, const void *P) { return Kind + llvm::utohexstr(reinterpret_cast<uintptr_t>(P)) + ";"; }

// The position after the last "*" that is not inside an index.
size_t afterLastDeref(llvm::StringRef Key) {
  size_t After = 0;
  int Nesting = 0;
  for (size_t I = 0; I < Key.size(); I++) {
    if (Key[I] == '[' || Key[I] == '(')
      Nesting++;
    else if (Key[I] == ']' || Key[I] == ')')
      Nesting--;
    else if (Key[I] == '*' && Nesting == 0)
      After = I + 1;
  }
  return After;
}

void dependOn(Path &P, const Path &On) {
  P.Exact &= On.Exact;
  P.Cells.append(On.Cells.begin(), On.Cells.end());
  if (!llvm::StringRef(On.Key).starts_with("#") && !llvm::StringRef(On.Key).starts_with("("))
    P.Cells.push_back(On.Key);
}

Path constant(std::string Text) {
  Path P;
  P.Key = "#" + std::move(Text);
  return P;
}

Path addOffset(Path P, const Path &Index, bool Negative = false) {
  std::string Text = (Negative ? "-" : "") + Index.Key + Index.Offset;
  P.Offset = P.Offset.empty() || P.Offset == "#0" ? Text : "(" + P.Offset + "+" + Text + ")";
  dependOn(P, Index);
  return P;
}

// Functions that hand their argument through.
bool isIdentity(const FunctionDecl *F) {
  switch (F->getBuiltinID()) {
  case Builtin::BI__builtin_expect:
  case Builtin::BI__builtin_launder:
  case Builtin::BI__builtin_assume_aligned:
  case Builtin::BI__builtin_addressof:
  case Builtin::BImove:
  case Builtin::BIforward:
  case Builtin::BIas_const:
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
    return true;
  default:
    return false;
  }
}

bool takesAddress(const FunctionDecl *F) {
  switch (F->getBuiltinID()) {
  case Builtin::BI__builtin_addressof:
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
    return true;
  default:
    return false;
  }
}

bool changesPointee(const CastExpr *E) {
  QualType From = E->getSubExpr()->getType(), To = E->getType();
  if (From->isPointerType() && To->isPointerType()) {
    From = From->getPointeeType();
    To = To->getPointeeType();
  }
  return From.getCanonicalType().getUnqualifiedType() != To.getCanonicalType().getUnqualifiedType() &&
         !From->isVoidType() && !To->isVoidType();
}

constexpr unsigned MaxDepth = 40;

} // namespace

std::string keyOf(const VarDecl *V) { return tag('V', V->getCanonicalDecl()); }

bool Path::isDirect() const { return afterLastDeref(Key) == 0; }

llvm::StringRef Path::object() const { return llvm::StringRef(Key).take_front(afterLastDeref(Key)); }

const Expr *objectOf(const Expr *Call) {
  if (const auto *MC = dyn_cast<CXXMemberCallExpr>(Call))
    return MC->getImplicitObjectArgument();
  const auto *OC = dyn_cast<CXXOperatorCallExpr>(Call);
  if (OC && OC->getNumArgs() > 0 && isa_and_nonnull<CXXMethodDecl>(OC->getCalleeDecl()))
    return OC->getArg(0);
  return nullptr;
}

const Expr *argumentFor(const Expr *Call, const ParmVarDecl *P) {
  unsigned I = P->getFunctionScopeIndex();
  if (const auto *CC = dyn_cast<CXXConstructExpr>(Call))
    return I < CC->getNumArgs() ? CC->getArg(I) : nullptr;
  const auto *CE = dyn_cast<CallExpr>(Call);
  if (!CE)
    return nullptr;
  if (isa<CXXOperatorCallExpr>(CE) && isa_and_nonnull<CXXMethodDecl>(CE->getCalleeDecl()))
    I++;
  return I < CE->getNumArgs() ? CE->getArg(I) : nullptr;
}

Path Paths::deref(Path P) {
  if (!P.Address) {
    P.Cells.push_back(P.Key);
    P.Key += "*";
    P.Temporary = false;
  }
  P.Address = false;
  if (!P.Offset.empty() && P.Offset != "#0")
    P.Key += "[" + P.Offset + "]";
  P.Offset.clear();
  return P;
}

Path Paths::unknown(const Expr *E) {
  Path P;
  P.Key = tag('?', E);
  P.Exact = false;
  return P;
}

Path Paths::variable(const DeclRefExpr *E) {
  if (const auto *BD = dyn_cast<BindingDecl>(E->getDecl()))
    return BD->getBinding() && Depth < MaxDepth ? lvalue(BD->getBinding()) : unknown(E);
  const auto *V = dyn_cast<VarDecl>(E->getDecl());
  if (!V)
    return unknown(E);
  Path P;
  P.Key = keyOf(V);
  P.Root = V->getCanonicalDecl();
  if (!V->getType()->isReferenceType())
    return P;
  // A reference to an own object is that object.
  if (V->isLocalVarDecl() && V->getInit() && Depth < MaxDepth) {
    Depth++;
    Path Bound = lvalue(V->getInit());
    Depth--;
    if (Bound.isDirect() && (Bound.Root || Bound.Temporary) && Bound.Exact && Bound.Cells.empty())
      return Bound;
  }
  return deref(P);
}

Path Paths::lvalue(const Expr *E) {
  E = E->IgnoreParens();
  if (Depth > MaxDepth)
    return unknown(E);
  if (const auto *FE = dyn_cast<FullExpr>(E))
    return lvalue(FE->getSubExpr());
  if (const auto *DRE = dyn_cast<DeclRefExpr>(E))
    return variable(DRE);
  if (const auto *ME = dyn_cast<MemberExpr>(E)) {
    const auto *FD = dyn_cast<FieldDecl>(ME->getMemberDecl());
    if (!FD) {
      const auto *V = dyn_cast<VarDecl>(ME->getMemberDecl());
      Path P = unknown(E);
      if (V) {
        P.Key = keyOf(V);
        P.Root = V->getCanonicalDecl();
        P.Exact = true;
      }
      return P;
    }
    Path P = ME->isArrow() ? deref(value(ME->getBase())) : lvalue(ME->getBase());
    P.Key += "." + llvm::utohexstr(reinterpret_cast<uintptr_t>(FD));
    P.Field = FD;
    return FD->getType()->isReferenceType() ? deref(P) : P;
  }
  if (const auto *UO = dyn_cast<UnaryOperator>(E)) {
    if (UO->getOpcode() == UO_Deref)
      return deref(value(UO->getSubExpr()));
    Path P = lvalue(UO->getSubExpr());
    P.Exact &= !UO->isIncrementDecrementOp();
    return P;
  }
  if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E))
    return deref(addOffset(value(AS->getBase()), value(AS->getIdx())));
  if (const auto *CE = dyn_cast<CastExpr>(E)) {
    Path P = CE->getSubExpr()->isGLValue() ? lvalue(CE->getSubExpr()) : value(CE->getSubExpr());
    P.Cast |= CE->getCastKind() == CK_LValueBitCast;
    return P;
  }
  if (isa<MaterializeTemporaryExpr>(E)) {
    Path P = unknown(E);
    P.Temporary = true;
    return P;
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  if (const auto *BO = dyn_cast<BinaryOperator>(E)) {
    Path P = lvalue(BO->getOpcode() == BO_Comma ? BO->getRHS() : BO->getLHS());
    P.Exact = false;
    return P;
  }
  return unknown(E);
}

Path Paths::pointee(const Expr *Pointer) { return deref(value(Pointer)); }

Path Paths::arithmetic(const BinaryOperator *E) {
  Path L = value(E->getLHS()), R = value(E->getRHS());
  if (E->isAdditiveOp() && E->getType()->isPointerType()) {
    if (!E->getLHS()->getType()->isPointerType())
      std::swap(L, R);
    return addOffset(L, R, E->getOpcode() == BO_Sub);
  }
  Path P;
  P.Key = "(" + L.Key + L.Offset + E->getOpcodeStr().str() + R.Key + R.Offset + ")";
  dependOn(P, L);
  dependOn(P, R);
  return P;
}

Path Paths::value(const Expr *E) {
  E = E->IgnoreParens();
  if (Depth > MaxDepth)
    return unknown(E);
  if (E->isGLValue()) // an argument bound to a reference parameter
    return lvalue(E);
  if (const auto *FE = dyn_cast<FullExpr>(E))
    return value(FE->getSubExpr());
  if (const auto *IL = dyn_cast<IntegerLiteral>(E))
    return constant(toString(IL->getValue(), 10, false));
  if (const auto *CL = dyn_cast<CharacterLiteral>(E))
    return constant(llvm::utostr(CL->getValue()));
  if (isa<CXXThisExpr>(E)) {
    Path P;
    P.Key = "T;";
    return P;
  }
  if (const auto *DRE = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *EC = dyn_cast<EnumConstantDecl>(DRE->getDecl()))
      return constant(toString(EC->getInitVal(), 10));
    return unknown(E);
  }
  if (const auto *CE = dyn_cast<CastExpr>(E)) {
    Path P = CE->getSubExpr()->isGLValue() ? lvalue(CE->getSubExpr()) : value(CE->getSubExpr());
    if (CE->getCastKind() == CK_ArrayToPointerDecay)
      P.Address = true;
    P.Cast |= CE->getCastKind() == CK_BitCast && changesPointee(CE);
    return P;
  }
  if (const auto *UO = dyn_cast<UnaryOperator>(E)) {
    if (UO->getOpcode() == UO_AddrOf) {
      Path P = lvalue(UO->getSubExpr());
      P.Address = true;
      return P;
    }
    if (UO->isIncrementDecrementOp()) {
      Path P = lvalue(UO->getSubExpr());
      P.Exact = false;
      return P;
    }
    Path Operand = value(UO->getSubExpr()), P;
    P.Key = "(" + UnaryOperator::getOpcodeStr(UO->getOpcode()).str() + Operand.Key + ")";
    dependOn(P, Operand);
    return P;
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(E); BO && !BO->isAssignmentOp() && BO->getOpcode() != BO_Comma)
    return arithmetic(BO);
  if (const auto *CC = dyn_cast<CXXConstructExpr>(E);
      CC && CC->getNumArgs() == 1 && CC->getArg(0)->isGLValue() && CC->getConstructor()->isCopyOrMoveConstructor())
    return lvalue(CC->getArg(0));
  if (const auto *Bind = dyn_cast<CXXBindTemporaryExpr>(E))
    return value(Bind->getSubExpr());
  if (const auto *SN = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return value(SN->getReplacement());
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  return unknown(E);
}

Path Paths::call(const CallExpr *E) {
  const FunctionDecl *F = E->getDirectCallee();
  if (!F || Depth > MaxDepth)
    return unknown(E);
  Depth++;
  Path P = unknown(E);
  if (isIdentity(F) && E->getNumArgs() > 0) {
    P = E->getArg(0)->isGLValue() ? lvalue(E->getArg(0)) : value(E->getArg(0));
    P.Address |= takesAddress(F);
  } else if (const Path *R = K.returned(F)) {
    P = inCaller(*R, E);
  }
  Depth--;
  return P;
}

} // namespace whyhot::ast
