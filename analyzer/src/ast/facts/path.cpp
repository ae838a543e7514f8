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

Path deref(Path P) {
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

Path Paths::unknown(const Expr *E) const {
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

namespace {

// Rewrites the roots inside a callee's key. Returns false when a root stays
// that means nothing to the caller.
class Rewriter {
public:
  Rewriter(Paths &P, const Expr *Call, const FunctionDecl *F) : P(P), Call(Call), F(F) {}

  std::optional<Path> root(llvm::StringRef Token) {
    if (Token == "T;") {
      const Expr *Object = objectOf(Call);
      if (!Object && isa<CXXConstructExpr>(Call)) { // the object that comes to be
        Path New;
        New.Key = tag('?', Call);
        New.Address = New.Temporary = true;
        New.Exact = false;
        return New;
      }
      if (!Object)
        return std::nullopt;
      if (Object->getType()->isPointerType())
        return P.value(Object);
      Path Lv = Object->isGLValue() ? P.lvalue(Object) : P.value(Object);
      Lv.Address = true;
      return Lv;
    }
    for (const ParmVarDecl *Parm : F->parameters()) {
      if (keyOf(Parm) != Token)
        continue;
      const Expr *A = argumentFor(Call, Parm);
      if (!A)
        return std::nullopt;
      if (!Parm->getType()->isReferenceType())
        return P.value(A);
      Path Lv = A->isGLValue() ? P.lvalue(A) : P.value(A);
      Lv.Address = true;
      return Lv;
    }
    return std::nullopt;
  }

private:
  Paths &P;
  const Expr *Call;
  const FunctionDecl *F;
};

// Does the root mean the same in every function?
bool isGlobal(llvm::StringRef Root) {
  uintptr_t Address = 0;
  if (Root[0] != 'V' || Root.drop_front().drop_back().getAsInteger(16, Address))
    return false;
  return !reinterpret_cast<const VarDecl *>(Address)->isLocalVarDeclOrParm();
}

// A root token at the start of Text: "T;", "V…;" or "?…;".
llvm::StringRef leadingRoot(llvm::StringRef Text) {
  if (Text.empty() || (Text[0] != 'T' && Text[0] != 'V' && Text[0] != '?'))
    return {};
  return Text.take_front(Text.find(';') + 1);
}

} // namespace

Path Paths::inCaller(const Path &Inner, const Expr *Call) {
  const FunctionDecl *F = nullptr;
  if (const auto *CC = dyn_cast<CXXConstructExpr>(Call))
    F = CC->getConstructor();
  else
    F = cast<CallExpr>(Call)->getDirectCallee();
  if (const FunctionDecl *Definition = nullptr; F && F->hasBody(Definition))
    F = Definition;
  Rewriter R(*this, Call, F);
  Path Out;
  Out.Field = Inner.Field;
  Out.Exact = Inner.Exact;
  Out.Cast = Inner.Cast;
  Out.Address = Inner.Address;
  Out.Root = Inner.Root;
  bool First = true;
  auto rewrite = [&](llvm::StringRef Text) {
    std::string Result;
    while (!Text.empty()) {
      llvm::StringRef Root = leadingRoot(Text);
      if (Root.empty()) {
        Result += Text[0];
        Text = Text.drop_front();
        continue;
      }
      Text = Text.drop_front(Root.size());
      std::optional<Path> At = R.root(Root);
      if (!At) {
        Result += Root;
        Out.Exact &= isGlobal(Root);
        continue;
      }
      Out.Exact &= At->Exact;
      Out.Cast |= At->Cast;
      Out.Cells.append(At->Cells.begin(), At->Cells.end());
      if (First)
        Out.Root = At->Root, Out.Temporary = At->Temporary;
      if (Text.starts_with("*")) {
        Path D = deref(*At);
        Result += D.Key;
        Text = Text.drop_front();
      } else {
        Result += At->Key;
        if (First && Text.empty())
          Out.Address = At->Address, Out.Offset = At->Offset;
      }
      First = false;
    }
    return Result;
  };
  Out.Key = rewrite(Inner.Key);
  First = false;
  if (!Inner.Offset.empty())
    Out.Offset = rewrite(Inner.Offset);
  for (const std::string &Cell : Inner.Cells)
    if (std::string Key = rewrite(Cell); !llvm::is_contained(Out.Cells, Key))
      Out.Cells.push_back(Key);
  return Out;
}

} // namespace whyhot::ast
