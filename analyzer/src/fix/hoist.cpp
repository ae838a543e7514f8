// Hoisting: what the loop reads again and again is read once before it, into
// locals of which the compiler knows that no store reaches them.
#include "ast/facts/arguments.h"
#include "fix/changes.h"
#include "fix/kinds.h"
#include "fix/nonnull.h"
#include "fix/write_back.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {
namespace {

using ast::Effect;

struct Candidate {
  const Expr *First;
  bool Data;    // the elements of a container rather than a value
  bool AtEntry; // evaluated by the original before the first iteration, whatever happens
  Value V;
  std::vector<CharSourceRange> Where;
  unsigned Uses = 0;
  bool InCondition = false;
};

bool isContiguous(const CXXRecordDecl *R) {
  return R && R->isInStdNamespace() && R->getIdentifier() &&
         llvm::StringSwitch<bool>(R->getName())
             .Cases("vector", "basic_string", "basic_string_view", "span", true)
             .Default(false);
}

// Its elements are objects of their own, and data() points to them.
bool hasElements(const CXXRecordDecl *R) {
  if (!isContiguous(R))
    return false;
  const auto *CT = dyn_cast<ClassTemplateSpecializationDecl>(R);
  return !(R->getName() == "vector" && CT && CT->getTemplateArgs().size() > 0 &&
           CT->getTemplateArgs()[0].getAsType()->isBooleanType());
}

StringRef nameOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return D->getDecl()->getIdentifier() ? D->getDecl()->getName() : "";
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return M->getMemberDecl()->getIdentifier() ? M->getMemberDecl()->getName() : "";
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return nameOf(U->getSubExpr());
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return nameOf(A->getBase());
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    if (const Expr *Object = ast::objectOf(C); Object && !isa<CXXThisExpr>(Object->IgnoreParenImpCasts()))
      return nameOf(Object);
    if (const FunctionDecl *F = C->getDirectCallee(); F && F->getIdentifier())
      return F->getName();
  }
  return "value";
}

class Hoist {
public:
  Hoist(const ast::FunctionFacts &F, const Context &C, const ast::Loop &L, Answer &Out)
      : F(F), C(C), L(L), Own(F.Function, F.Known), May(F, Own, C.S, C.StrictAliasing),
        Parents(const_cast<Stmt *>(F.Function->getBody())), Proofs(F, L, C.S), Out(Out) {}

  void run() {
    SourceLocation At = L.Statement->getBeginLoc();
    if (At.isMacroID())
      return refuse("the loop is written by a macro", At);
    if (jumpsIn(L.Body))
      return refuse("a label inside the loop can be jumped to from elsewhere", At);
    May.addLoop(L);
    Back.emplace(F, C, L, Own, Parents);
    if (const auto *For = dyn_cast<ForStmt>(L.Statement))
      collect(For->getInc(), false);
    collect(L.Condition, !isa<DoStmt>(L.Statement));
    collect(L.Body, false);
    decide();
  }

private:
  void refuse(const llvm::Twine &Text, SourceLocation At) { Out.Refusals.push_back(C.S.remark(Text, At)); }

  static bool jumpsIn(const Stmt *S, bool InSwitch = false) {
    if (!S)
      return false;
    if (isa<LabelStmt>(S) || (isa<SwitchCase>(S) && !InSwitch))
      return true;
    InSwitch |= isa<SwitchStmt>(S);
    return llvm::any_of(S->children(), [&](const Stmt *Child) { return jumpsIn(Child, InSwitch); });
  }

  // Largest expressions first: what is hoisted whole has no parts to hoist.
  void collect(const Stmt *S, bool AtEntry) {
    if (!S || isa<LambdaExpr, UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(S))
      return;
    if (llvm::is_contained(Back->exits(), S)) // runs once, if ever
      return;
    if (const auto *E = dyn_cast<Expr>(S)) {
      if (Back->replaces(E))
        return;
      if (isValue(E) && consider(E, E, false, AtEntry))
        return;
      if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E); Call && Call->getOperator() == OO_Subscript)
        if (hasElements(Call->getArg(0)->getType()->getAsCXXRecordDecl()) &&
            consider(Call->getArg(0), Call, true, AtEntry))
          return collect(Call->getArg(1), AtEntry);
    }
    const auto *BO = dyn_cast<BinaryOperator>(S);
    if (const auto *UO = dyn_cast<UnaryOperator>(S); UO && UO->isIncrementDecrementOp())
      counts(UO->getSubExpr()->IgnoreParens());
    else if (BO && BO->isCompoundAssignmentOp())
      counts(BO->getLHS()->IgnoreParens());
    const bool Short = isa<ConditionalOperator>(S) || (BO && BO->isLogicalOp());
    bool First = true;
    for (const Stmt *Child : S->children()) {
      collect(Child, AtEntry && (First || !(Short || isa<IfStmt, ForStmt, WhileStmt, SwitchStmt>(S))));
      First = false;
    }
  }

  // A value in a register: what a load or an accessor gives.
  static bool isValue(const Expr *E) {
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E))
      return Cast->getCastKind() == CK_LValueToRValue && E->getType()->isScalarType();
    const auto *Call = dyn_cast<CallExpr>(E);
    if (!Call || !E->isPRValue() || E->getType()->isVoidType() || !ast::objectOf(Call))
      return false;
    const auto *R = E->getType()->getAsCXXRecordDecl();
    return E->getType()->isScalarType() || (R && R->isTriviallyCopyable());
  }

  // Whole is what reads; E what is replaced.
  bool consider(const Expr *E, const Expr *Whole, bool Data, bool AtEntry) {
    std::optional<std::vector<Effect>> Reads = Data ? elementBase(cast<CXXOperatorCallExpr>(Whole)) : readsOf(E, F);
    if (!Reads || llvm::none_of(*Reads, [&](const Effect &X) { return Own.isLoaded(X.Where); }))
      return false;
    auto Range = C.S.range(E->getSourceRange());
    const Expr *Spelt = E->IgnoreImpCasts();
    if (!Range) { // the parentheses around a macro's argument are the macro's
      Spelt = E->IgnoreParenImpCasts();
      Range = C.S.range(Spelt->getSourceRange());
    }
    Value V{*Reads, Data ? E->getType()->getAsCXXRecordDecl() : ownerOf(E), C.S.text(Spelt)};
    Judgement J = May.judge(V);
    if (J.What == Judgement::Varies) {
      readTwice(V.Text, E);
      return false;
    }
    if (!Range) {
      stays(E);
      if (Macros++ == 0)
        Left.push_back(C.S.remark("what a macro in the loop reads stays: it is not written there", E->getBeginLoc()));
      return false;
    }
    if (J.What >= Judgement::Updates) {
      if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E); Cast && Back->keeps(Cast->getSubExpr()))
        return true; // in a way out, where it has been written back
      if (J.What == Judgement::Updates)
        update(V.Text, E);
      stays(E);
      blocked(V.Text, J, E);
      return false;
    }
    llvm::FoldingSetNodeID ID;
    E->IgnoreParenImpCasts()->Profile(ID, F.Context, true);
    ID.AddBoolean(Data);
    for (auto &[Known, X] : Found)
      if (Known == ID) {
        // What a macro's argument reads stands once in the file, however often it is expanded.
        if (llvm::none_of(X.Where, [&](CharSourceRange R) { return R.getAsRange() == Range->getAsRange(); }))
          X.Where.push_back(*Range);
        X.Uses++, X.AtEntry |= AtEntry;
        return true;
      }
    Found.push_back({ID, {E, Data, AtEntry, V, {*Range}, 1, isWithin(E, L.Condition)}});
    Why[Found.size() - 1] = J.Why;
    return true;
  }

  // Of an object of a class, its members are read: of what width is not known here.
  void stays(const Expr *E) {
    Out.Stays.insert({C.S.line(E->getExprLoc()), C.S.bytes(E->getType().getNonReferenceType())});
  }

  // Another value in each iteration, which one iteration reads twice: no local before the
  // loop holds it. A macro's argument stands once and may be read often.
  void readTwice(const std::string &Text, const Expr *E) {
    if (!Text.empty() && !Varying.insert(Text).second)
      stays(E);
  }

  // What the loop counts up in memory and no patch writes back: a person may see more.
  void counts(const Expr *LValue) {
    const ast::Path P = F.Known.effects().paths().lvalue(LValue);
    auto Range = C.S.range(LValue->getSourceRange());
    if (!Range || !P.Exact || !LValue->getType()->isScalarType() || !Own.isShared(P) || Back->keeps(LValue))
      return;
    const Value V{{{Effect::Read, P, LValue->getType(), LValue, LValue}}, ownerOf(LValue), C.S.text(LValue)};
    if (May.judge(V).What == Judgement::Updates)
      update(V.Text, LValue);
  }

  // One of many: which one, the loop says anew each time.
  bool isElement(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    const Expr *Index = nullptr;
    if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
      Index = S->getIdx();
    else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E); Call && Call->getOperator() == OO_Subscript)
      Index = Call->getArg(1);
    else if (const auto *M = dyn_cast<MemberExpr>(E))
      return isElement(M->getBase());
    return Index && !Index->isIntegerConstantExpr(F.Context);
  }

  void update(const std::string &Text, const Expr *E) {
    if (isElement(E))
      return;
    stays(E);
    const Answer::Update U{Text, C.S.line(E->getExprLoc())};
    if (llvm::none_of(Out.Updates, [&](const Answer::Update &X) { return X.Text == U.Text; }))
      Out.Updates.push_back(U);
  }

  // What an element access reads, the element and the index left out.
  std::optional<std::vector<Effect>> elementBase(const CXXOperatorCallExpr *Call) const {
    auto Object = readsOf(Call->getArg(0), F);
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Object || !Callee || !F.Known.of(Callee).Whole)
      return std::nullopt;
    F.Known.effects().of(Call, *Object);
    for (const Effect &X : *Object)
      if (X.What != Effect::Read)
        return std::nullopt;
    std::erase_if(*Object, [](const Effect &X) { return !X.Where.Exact; });
    return Object;
  }

  void blocked(const std::string &Text, const Judgement &J, const Expr *E) {
    if (!Blocked.insert(Text).second)
      return;
    Remark R = J.Why.empty() ? C.S.remark("", E->getBeginLoc()) : J.Why.front();
    R.Text = "`" + Text + "` stays: " + R.Text;
    for (const WriteBack::Left &X : Back->left())
      if (X.Text == Text && J.What == Judgement::Updates)
        R.Text += "; it would have to be written back, and " + X.Why;
    Left.push_back(R);
  }

  bool isWithin(const Stmt *Inner, const Stmt *Outer) const {
    for (const Stmt *S = Inner; S; S = Parents.getParent(S))
      if (S == Outer)
        return true;
    return false;
  }

  void decide() {
    std::vector<std::string> Lines;
    Names Free(C.S, F.Function);
    std::vector<std::string> What;
    for (size_t I = 0; I < Found.size(); I++) {
      Candidate &X = Found[I].second;
      const std::string Name = Free.make(nameOf(X.First), X.Data ? "data" : suffix(X.First));
      const std::string Line = declaration(X, Name);
      if (Line.empty()) {
        Left.push_back(C.S.remark("`" + X.V.Text + "` stays: its type has no name here", X.First->getBeginLoc()));
        stays(X.First);
        continue;
      }
      Lines.push_back(Line);
      assume(Why[I], X.V.Text);
      if (!X.AtEntry)
        Proofs.require(X.First, F, Out.Assumptions);
      for (const CharSourceRange &R : X.Where)
        Out.Edits.push_back(C.S.replace(R, Name));
      Out.Values.push_back(X.Data ? data(X) : X.V.Text);
      What.push_back("`" + Out.Values.back() + "`");
    }
    std::vector<std::string> Ends = keep(Free, Lines);
    for (const WriteBack::Left &X : Back->left())
      if (stays(X.First); !Blocked.count(X.Text))
        Left.push_back(C.S.remark("`" + X.Text + "` stays: it would have to be written back, and " + X.Why,
                                  X.First->getBeginLoc()));
    for (const auto &[Key, Values] : Assumed) {
      Remark R = Values.first;
      R.Text.replace(R.Text.find(Mark), 1, llvm::join(Values.second, ", "));
      Out.Assumptions.push_back(R);
    }
    Out.Notes.insert(Out.Notes.end(), Left.begin(), Left.end());
    if (Lines.empty()) {
      Out.Refusals = Left;
      Out.Notes.clear();
      if (Left.empty())
        refuse("the loop reads nothing again that another could have written", L.Statement->getBeginLoc());
      return;
    }
    if (!Ends.empty())
      for (const Stmt *Exit : Back->exits()) {
        const auto *Block = dyn_cast<CompoundStmt>(Exit);
        C.S.before(Block ? Block->body_front() : Exit, Parents, Ends, Out.Edits);
      }
    if (!Back->runsOut())
      Ends.clear();
    C.S.around(L.Statement, Parents, Lines, Ends, Out.Edits);
    if (!What.empty())
      Out.What = "reads " + llvm::join(What, ", ") + " once, before the loop";
    if (!Out.Kept.empty())
      Out.What += std::string(What.empty() ? "" : "; ") + "keeps `" + llvm::join(Out.Kept, "`, `") +
                  "` in locals, written back wherever the loop ends";
  }

  // The locals of what is written back, and the statements that do it.
  std::vector<std::string> keep(Names &Free, std::vector<std::string> &Lines) {
    std::vector<std::string> Ends;
    for (const WriteBack::Object &X : Back->objects()) {
      const std::string Name = Free.make(nameOf(X.First), "");
      const std::string Line = declaration(X.First->getType(), false, Name, X.V.Text);
      if (Line.empty()) {
        Left.push_back(C.S.remark("`" + X.V.Text + "` stays: its type has no name here", X.First->getBeginLoc()));
        stays(X.First);
        continue;
      }
      Lines.push_back(Line);
      Ends.push_back(X.V.Text + " = " + Name + ";");
      assume(X.Assumptions, X.V.Text);
      assume({C.S.remark("`" + X.V.Text +
                             "` is written even where the loop does not change it: no other thread uses it meanwhile",
                         L.Statement->getBeginLoc())},
             X.V.Text);
      Proofs.require(X.First, F, Out.Assumptions);
      for (const CharSourceRange &R : X.Where)
        Out.Edits.push_back(C.S.replace(R, Name));
      Out.Kept.push_back(X.V.Text);
    }
    return Ends;
  }

  // One store is one assumption, however many values it is about.
  void assume(const std::vector<Remark> &Why, const std::string &Text) {
    const std::string Quoted = "`" + Text + "`";
    for (Remark R : Why) {
      const size_t At = R.Text.rfind(Quoted);
      if (At == std::string::npos) {
        Out.Assumptions.push_back(R);
        continue;
      }
      R.Text.replace(At, Quoted.size(), 1, Mark);
      auto &Values = Assumed.try_emplace({R.Line, R.Column, R.Text}, R, std::vector<std::string>()).first->second;
      Values.second.push_back(Quoted);
    }
  }

  StringRef suffix(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    const auto *Call = dyn_cast<CallExpr>(E);
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    const Expr *Object = Call ? ast::objectOf(Call) : nullptr;
    if (Callee && Callee->getIdentifier() && Object && !isa<CXXThisExpr>(Object->IgnoreParenImpCasts()))
      return Callee->getName();
    return "";
  }

  std::string declaration(const Candidate &X, const std::string &Name) const {
    // Before C++11 the pointer's type would have to be spelled.
    if (X.Data && !F.Context.getLangOpts().CPlusPlus11)
      return "";
    return declaration(X.First->getType(), true, Name, X.Data ? data(X) : X.V.Text);
  }

  // None where the type has no name.
  std::string declaration(QualType T, bool Const, const std::string &Name, const std::string &Init) const {
    if (F.Context.getLangOpts().CPlusPlus11)
      return (Const ? "const auto " : "auto ") + Name + " = " + Init + ";";
    T = T.getUnqualifiedType();
    if (const auto *TD = T->getAs<TypedefType>(); TD && isa<CXXRecordDecl>(TD->getDecl()->getDeclContext()))
      T = T.getCanonicalType();
    if (F.Function->isTemplateInstantiation() || T->getAsCXXRecordDecl())
      return "";
    if (Const)
      T = T.withConst();
    std::string Text = Name;
    T.getAsStringInternal(Text, F.Context.getPrintingPolicy());
    return Text + " = " + Init + ";";
  }

  std::string data(const Candidate &X) const {
    const Expr *Object = X.First->IgnoreImpCasts();
    const bool Simple = isa<DeclRefExpr, MemberExpr, CallExpr, ParenExpr, ArraySubscriptExpr>(Object);
    const std::string Text = Simple ? X.V.Text : "(" + X.V.Text + ")";
    const bool OldString = X.V.Owner->getName() == "basic_string" && !F.Context.getLangOpts().CPlusPlus17 &&
                           !X.First->getType().isConstQualified();
    return OldString ? "&" + Text + "[0]" : Text + ".data()";
  }

  const ast::FunctionFacts &F;
  const Context &C;
  const ast::Loop &L;
  ast::Locals Own;
  Changes May;
  ParentMap Parents;
  NonNull Proofs;
  std::optional<WriteBack> Back;
  Answer &Out;
  std::vector<std::pair<llvm::FoldingSetNodeID, Candidate>> Found;
  std::map<size_t, std::vector<Remark>> Why;
  static constexpr char Mark = '\x01';
  std::map<std::tuple<unsigned, unsigned, std::string>, std::pair<Remark, std::vector<std::string>>> Assumed;
  std::set<std::string> Blocked;
  unsigned Macros = 0;
  std::set<std::string> Varying;
  std::vector<Remark> Left;
};

} // namespace

void hoist(const ast::FunctionFacts &F, const Context &C, Answer &Out) {
  const ast::Loop *L = loopAt(F.Loops, C);
  if (!L)
    return;
  Out.Found = true;
  hoist(F, C, *L, Out);
}

void hoist(const ast::FunctionFacts &F, const Context &C, const ast::Loop &L, Answer &Out) {
  Hoist(F, C, L, Out).run();
}

} // namespace whyhot::fix
