#include "ast/facts/types.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
namespace {

bool mayAlias(QualType T) {
  if (const auto *TD = T->getAsTagDecl(); TD && TD->hasAttr<MayAliasAttr>())
    return true;
  while (const auto *TT = T->getAs<TypedefType>()) {
    if (TT->getDecl()->hasAttr<MayAliasAttr>())
      return true;
    T = TT->desugar();
  }
  return false;
}

bool isAliasingRecord(QualType T) {
  const auto *RD = T->getAsRecordDecl();
  return RD && (RD->isUnion() || mayAlias(T));
}

} // namespace

const Expr *writtenBy(const Stmt *S) {
  if (const auto *BO = dyn_cast<BinaryOperator>(S); BO && BO->isAssignmentOp())
    return BO->getLHS();
  if (const auto *UO = dyn_cast<UnaryOperator>(S); UO && UO->isIncrementDecrementOp())
    return UO->getSubExpr();
  return nullptr;
}

const FieldDecl *bitFieldOf(const Expr *LValue) {
  const auto *ME = dyn_cast<MemberExpr>(LValue->IgnoreParens());
  const auto *FD = ME ? dyn_cast<FieldDecl>(ME->getMemberDecl()) : nullptr;
  return FD && FD->isBitField() ? FD : nullptr;
}

bool isCharLike(QualType T, const ASTContext &C) {
  if (T.isNull() || T->isDependentType())
    return false;
  if (mayAlias(T))
    return true;
  const Type *Canonical = T.getCanonicalType().getTypePtr();
  if (const auto *AT = dyn_cast<AtomicType>(Canonical))
    return isCharLike(AT->getValueType(), C);
  if (const auto *BT = dyn_cast<BuiltinType>(Canonical))
    return BT->getKind() == BuiltinType::Char_S || BT->getKind() == BuiltinType::Char_U ||
           BT->getKind() == BuiltinType::SChar || BT->getKind() == BuiltinType::UChar;
  if (const auto *ET = dyn_cast<EnumType>(Canonical))
    return Canonical->isStdByteType() || !C.getLangOpts().CPlusPlus || !ET->getDecl()->isExternallyVisible();
  return isa<VectorType>(Canonical);
}

bool storesAsChar(const Expr *E, const ASTContext &C) {
  const Expr *Whole = E->IgnoreParens();
  bool Member = false; // a scalar member: its tag names the struct
  for (E = Whole;;) {
    E = E->IgnoreParens();
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E);
        Cast && (Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_ArrayToPointerDecay)) {
      E = Cast->getSubExpr();
      continue;
    }
    if (const auto *ME = dyn_cast<MemberExpr>(E)) {
      const auto *FD = dyn_cast<FieldDecl>(ME->getMemberDecl());
      if (!FD || FD->getType()->isReferenceType())
        break;
      if (FD->isBitField())
        return false; // untagged, another rule's business
      QualType Record = ME->getBase()->getType();
      if (ME->isArrow())
        Record = Record->getPointeeType();
      if (isAliasingRecord(Record))
        return true;
      if (E == Whole)
        Member = true;
      if (ME->isArrow())
        break;
      E = ME->getBase();
      continue;
    }
    if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E);
        AS && AS->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) {
      E = AS->getBase();
      continue;
    }
    break;
  }
  return !Member && isCharLike(Whole->getType(), C);
}

} // namespace whyhot::ast
