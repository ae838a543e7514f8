// A callee's path as its caller sees it: this and the parameters become what the
// call binds them to.
#include "ast/facts/path.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace whyhot::ast {
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
        Path New = Paths::unknown(Call);
        New.Address = New.Temporary = true;
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
