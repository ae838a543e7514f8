#include "fix/reach.h"

#include "fix/library.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {

using ast::Effect;

bool inUnion(const FieldDecl *F) { return F->getParent()->isUnion() || F->getParent()->isAnonymousStructOrUnion(); }

// One type for all that may be accessed as each other: qualifiers dropped, an
// enumeration as its underlying type, signed as unsigned. unsigned for const int.
static QualType scalarKind(QualType T, const ASTContext &C) {
  T = C.getCanonicalType(T).getUnqualifiedType();
  if (const auto *E = T->getAs<EnumType>(); E && !E->getDecl()->getIntegerType().isNull())
    T = C.getCanonicalType(E->getDecl()->getIntegerType()).getUnqualifiedType();
  if (T->isIntegerType() && !T->isBooleanType() && !T->isUnsignedIntegerType())
    T = C.getCorrespondingUnsignedType(T);
  return C.getCanonicalType(T).getUnqualifiedType();
}

bool sameScalar(QualType A, QualType B, const ASTContext &C) {
  if (A.isNull() || B.isNull())
    return true;
  A = A.getNonReferenceType(), B = B.getNonReferenceType();
  if (A->isPointerType() && B->isPointerType()) // void * and T * may stand for each other
    return A->isVoidPointerType() || B->isVoidPointerType() ||
           C.hasSameUnqualifiedType(A->getPointeeType(), B->getPointeeType());
  return scalarKind(A, C) == scalarKind(B, C);
}

bool leadsTo(QualType T, const CXXRecordDecl *Owner, unsigned Depth) {
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

bool holds(QualType Record, const Effect &R, const ASTContext &C, unsigned Depth) {
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

} // namespace whyhot::fix
