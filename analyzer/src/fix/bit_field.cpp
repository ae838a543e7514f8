// A bit-field becomes a plain member: a store of its own, with a type.
#include "fix/kinds.h"
#include "fix/uses.h"

#include "ast/facts/types.h"
#include "ast/walk.h"

#include "clang/AST/RecordLayout.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {
namespace {

// Code that knows how the struct lies in memory.
class LayoutUses final : public ast::Walk {
public:
  LayoutUses(const RecordDecl *R, const Source &S, Answer &Out)
      : Walk({.Instantiations = true}), R(R->getCanonicalDecl()), S(S), C(S.C), Out(Out) {}

private:
  // Containers ask for sizes and copy bytes, whatever the layout is.
  bool isOwn(SourceLocation L) const { return !S.SM.isInSystemHeader(S.SM.getExpansionLoc(L)); }

  void stmt(Stmt *St) override {
    if (auto *E = dyn_cast<UnaryExprOrTypeTraitExpr>(St);
        E && E->getKind() == UETT_SizeOf && isIt(E->getTypeOfArgument()) && !sizesMemory(E))
      forbid("sizeof of the struct is used", E);
    else if (auto *O = dyn_cast<OffsetOfExpr>(St); O && isIt(O->getTypeSourceInfo()->getType()))
      forbid("offsetof of the struct is used", O);
    else if (auto *X = dyn_cast<CastExpr>(St); X && X->getCastKind() == CK_BitCast)
      cast(X);
  }
  void decl(Decl *D) override {
    if (auto *F = dyn_cast<FieldDecl>(D); F && isIt(F->getType()) && F->getParent()->isUnion())
      Out.Refusals.push_back(S.remark("the struct is a member of a union", F->getLocation()));
  }
  void cast(CastExpr *E) {
    QualType From = E->getSubExpr()->getType(), To = E->getType();
    if (!From->isPointerType() || !To->isPointerType())
      return;
    const bool Is = isIt(From->getPointeeType()), Was = isIt(To->getPointeeType());
    if (Is == Was)
      return;
    QualType Other = (Is ? To : From)->getPointeeType();
    if (!Other->isVoidType())
      forbid("the struct is seen through a pointer of another type", E);
    else if (Is && !harmless(E))
      forbid("the struct's memory is handed to a function that may look at its bytes", E);
  }
  bool isIt(QualType T) const {
    const RecordDecl *X = C.getBaseElementType(T)->getAsRecordDecl();
    return X && X->getCanonicalDecl() == R;
  }
  // malloc(n * sizeof *p), memset(p, 0, sizeof *p), memcpy(a, b, sizeof *a): the
  // size follows the struct.
  bool sizesMemory(const Expr *E) const {
    for (const Stmt *P = parentOf(E, C); P && isa<Expr>(P); P = parentOf(P, C))
      if (const auto *Call = dyn_cast<CallExpr>(P)) {
        const FunctionDecl *F = Call->getDirectCallee();
        return F && F->getIdentifier() &&
               llvm::StringSwitch<bool>(F->getName())
                   .Cases("malloc", "calloc", "realloc", "reallocarray", "memset", "aligned_alloc", "memcpy", "memmove",
                          true)
                   .Default(false);
      }
    return false;
  }
  bool harmless(const Expr *E) const {
    const auto *Call = dyn_cast_or_null<CallExpr>(parentOf(outermost(E, C), C));
    const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
    if (!F || !F->getIdentifier())
      return false;
    if (F->getName() == "free" || F->getName() == "realloc")
      return true;
    if (F->getName() == "memset")
      return Call->getArg(1)->isIntegerConstantExpr(C) && Call->getArg(1)->EvaluateKnownConstInt(C).isZero();
    if (F->getName() == "memcpy" || F->getName() == "memmove") // from struct to struct
      return isIt(Call->getArg(0)->IgnoreParenCasts()->getType()->getPointeeType()) &&
             isIt(Call->getArg(1)->IgnoreParenCasts()->getType()->getPointeeType());
    return false;
  }
  void forbid(const char *Why, const Expr *E) {
    if (isOwn(E->getBeginLoc()))
      Out.Refusals.push_back(S.remark(Why, E->getBeginLoc()));
  }

  const Decl *R;
  const Source &S;
  ASTContext &C;
  Answer &Out;
};

class Plain {
public:
  Plain(const FieldDecl *F, const Source &S, Answer &Out)
      : F(F), S(S), C(S.C), Out(Out), Width(F->getBitWidthValue(S.C)) {}

  void run() {
    const std::string Name = F->getNameAsString();
    if (F->getParent()->hasAttr<PackedAttr>())
      forbid("the struct is packed: its layout is somebody's format", F->getLocation());
    if (F->getType()->isSignedIntegerType())
      forbid("`" + Name + "` is signed: a bit of it holds 0 and -1", F->getLocation());
    if (!F->getType()->isBooleanType() && !F->getType()->isUnsignedIntegerType())
      forbid("`" + Name + "` is an enumeration", F->getLocation());
    if (Width > 16)
      forbid("`" + Name + "` is no flag: it has " + std::to_string(Width) + " bits", F->getLocation());
    declaration();
    for (const Expr *E : usesOf(F, C))
      use(E);
    LayoutUses L(F->getParent(), S, Out);
    L.traverse(C.getTranslationUnitDecl());
    const ASTRecordLayout &Now = C.getASTRecordLayout(F->getParent());
    Out.What = "makes `" + Name + "` a plain member, with a byte of its own";
    Out.Notes.push_back(S.remark("the layout of " + structName() + " changes (" +
                                     std::to_string(Now.getSize().getQuantity()) +
                                     " bytes now): everything that uses it has to be compiled anew",
                                 F->getLocation()));
    if (!S.SM.isWrittenInMainFile(S.SM.getExpansionLoc(F->getLocation())))
      Out.Notes.push_back(
          S.remark("the struct is defined in a header: every unit that includes it is looked at", F->getLocation()));
  }

private:
  void forbid(const llvm::Twine &Why, SourceLocation At) { Out.Refusals.push_back(S.remark(Why, At)); }

  std::string structName() const {
    const std::string Name = F->getParent()->getNameAsString();
    return Name.empty() ? "the struct without a name" : "`" + Name + "`";
  }

  void declaration() {
    if (!S.isEditable(F->getLocation()))
      return forbid("the struct is declared in a system header", F->getLocation());
    TypeLoc T = F->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc();
    auto Type = S.range(T.getSourceRange());
    // From the colon to the end of the width.
    SourceLocation Colon = Lexer::getLocForEndOfToken(F->getLocation(), 0, S.SM, C.getLangOpts());
    auto Bits = S.range(SourceRange(Colon, F->getBitWidth()->getEndLoc()));
    if (!Type || !Bits)
      return forbid("the member is declared by a macro", F->getLocation());
    // unsigned a : 1, b : 1; declares both with one type.
    for (const Decl *D : F->getParent()->decls())
      if (const auto *X = dyn_cast<FieldDecl>(D); X && X != F && X->getBeginLoc() == F->getBeginLoc())
        return forbid("`" + X->getNameAsString() + "` is declared together with it", F->getLocation());
    Old = Lexer::getSourceText(*Type, S.SM, C.getLangOpts()).str();
    if (!F->getType()->isBooleanType())
      Out.Edits.push_back(S.replace(*Type, newType()));
    Out.Edits.push_back(S.replace(*Bits, ""));
  }

  std::string newType() const {
    if (Width == 1 && C.getLangOpts().CPlusPlus)
      return "bool";
    return Width <= 8 ? "unsigned char" : "unsigned short";
  }

  void use(const Expr *E) {
    const Expr *Top = E;
    const Stmt *P = parentOf(E, C);
    while (P && isa<ParenExpr>(P))
      Top = cast<Expr>(P), P = parentOf(Top, C);
    if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(P)) {
      if (!C.getLangOpts().CPlusPlus || F->getType()->isBooleanType() || anyIntegerDoes(Cast, C))
        return;
      auto R = S.range(E->getSourceRange());
      if (!R)
        return forbid("a macro uses it", E->getBeginLoc());
      Out.Edits.push_back(S.insert(R->getBegin(), "static_cast<" + Old + ">("));
      Out.Edits.push_back(S.insert(R->getEnd(), ")"));
      return;
    }
    const auto *BO = dyn_cast_or_null<BinaryOperator>(P);
    if (BO && BO->isAssignmentOp() && BO->getLHS() == Top) {
      const BinaryOperatorKind Op = BO->getOpcode();
      if (Op == BO_AndAssign || ((Op == BO_Assign || Op == BO_OrAssign || Op == BO_XorAssign) && fits(BO->getRHS())))
        return;
      return forbid("`" + S.text(BO->getRHS()) + "` may not fit into " + std::to_string(Width) +
                        (Width == 1 ? " bit" : " bits") + ", and the plain member would keep the rest",
                    BO->getBeginLoc());
    }
    if (isa_and_nonnull<UnaryOperator>(P))
      return forbid("a count that wraps at the field's width", P->getBeginLoc());
    if (P)
      forbid("a use of the member that depends on its being a bit-field", E->getBeginLoc());
  }

  // Is the value below 2^Width whatever happens?
  bool fits(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    if (F->getType()->isBooleanType() || E->getType()->isBooleanType())
      return true;
    Expr::EvalResult V;
    if (E->EvaluateAsInt(V, C))
      return !V.Val.getInt().isNegative() && V.Val.getInt().getActiveBits() <= Width;
    if (const auto *UO = dyn_cast<UnaryOperator>(E))
      return UO->getOpcode() == UO_LNot;
    if (const auto *Cond = dyn_cast<ConditionalOperator>(E))
      return fits(Cond->getTrueExpr()) && fits(Cond->getFalseExpr());
    if (const auto *M = dyn_cast<MemberExpr>(E))
      if (const auto *Other = dyn_cast<FieldDecl>(M->getMemberDecl()))
        return Other->isBitField() && Other->getType()->isUnsignedIntegerType() && Other->getBitWidthValue(C) <= Width;
    if (const auto *BO = dyn_cast<BinaryOperator>(E)) {
      if (BO->isComparisonOp() || BO->isLogicalOp())
        return true;
      if (BO->getOpcode() == BO_And)
        return fits(BO->getLHS()) || fits(BO->getRHS());
      if (BO->getOpcode() == BO_Or || BO->getOpcode() == BO_Xor)
        return fits(BO->getLHS()) && fits(BO->getRHS());
    }
    return false;
  }

  const FieldDecl *F;
  const Source &S;
  ASTContext &C;
  Answer &Out;
  const unsigned Width;
  std::string Old;
};

// The bit-fields that a statement stores to; all it touches where it stores to none.
void fieldsIn(const Stmt *St, std::vector<const FieldDecl *> &Stored, std::vector<const FieldDecl *> &Touched) {
  if (!St)
    return;
  auto add = [](std::vector<const FieldDecl *> &To, const FieldDecl *F) {
    if (F && !llvm::is_contained(To, F))
      To.push_back(F);
  };
  if (const Expr *To = ast::writtenBy(St))
    add(Stored, ast::bitFieldOf(To));
  if (const auto *M = dyn_cast<MemberExpr>(St))
    add(Touched, ast::bitFieldOf(M));
  for (const Stmt *Child : St->children())
    fieldsIn(Child, Stored, Touched);
}

} // namespace

void bitFieldAt(ASTContext &C, const Context &K, Answer &Out) {
  class Finder final : public ast::Walk {
  public:
    explicit Finder(const Context &K) : K(K) {}
    const FieldDecl *Found = nullptr;

  private:
    void decl(Decl *D) override {
      const auto *F = dyn_cast<FieldDecl>(D);
      if (F && F->isBitField() && !F->getParent()->isDependentContext() && K.S.isAt(F->getLocation(), K.Asked) &&
          K.S.line(F->getLocation()) == K.Asked.Line)
        Found = F;
    }
    const Context &K;
  };
  Finder Find(K);
  Find.traverse(C.getTranslationUnitDecl());
  if (!Find.Found)
    return;
  Out.Found = true;
  Plain(Find.Found, K.S, Out).run();
}

void bitField(const ast::FunctionFacts &F, const Context &K, Answer &Out) {
  const ast::Loop *L = loopAt(F.Loops, K);
  std::vector<const FieldDecl *> Stored, Touched;
  fieldsIn(L ? L->Statement : F.Function->getBody(), Stored, Touched);
  const auto &Fields = Stored.empty() ? Touched : Stored;
  if (Fields.empty())
    return;
  Out.Found = true;
  std::string Which;
  for (const FieldDecl *X : Fields) {
    Plain(X, K.S, Out).run();
    Which += (Which.empty() ? "`" : ", `") + X->getNameAsString() + "`";
  }
  Out.What = "makes " + Which + (Fields.size() == 1 ? " a plain member" : " plain members") + " instead of " +
             (Fields.size() == 1 ? "a bit-field" : "bit-fields");
}

} // namespace whyhot::fix
