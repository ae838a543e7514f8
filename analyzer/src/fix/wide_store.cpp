// Bytes of one integer that are stored one by one become one store through
// memcpy. The bytes stay where they were: where the machine's order is the other
// one the word is swapped, and a machine of unknown order keeps the old code.
#include "fix/byte_stores.h"
#include "fix/changes.h"
#include "fix/kinds.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace whyhot::fix {
namespace {

class WideStore {
public:
  WideStore(const ast::FunctionFacts &F, const Context &K, Answer &Out)
      : F(F), K(K), C(F.Context), Own(F.Function, F.Known), Free(K.S, F.Function), Out(Out) {}

  void run() {
    const ast::Loop *L = loopAt(F.Loops, K);
    std::vector<ByteStores> Found = findByteStores(L ? L->Statement : F.Function->getBody(), C);
    if (!L)
      std::erase_if(Found, [&](const ByteStores &G) {
        return K.S.line(G.From->getBeginLoc()) > K.Asked.Line || K.S.endLine(G.To) < K.Asked.Line;
      });
    if (Found.empty())
      return;
    Out.Found = true;
    for (const ByteStores &G : Found)
      rewrite(G);
    if (Out.Refusals.empty() && NeedsInclude)
      Out.Edits.push_back(K.S.include(C.getLangOpts().CPlusPlus ? "<cstring>" : "<string.h>"));
  }

private:
  void refuse(const llvm::Twine &Why, const Stmt *At) { Out.Refusals.push_back(K.S.remark(Why, At->getBeginLoc())); }

  // The bytes must not be what the value, the base or the index is read from.
  bool staysPut(const ByteStores &G, const Expr *E) {
    auto Reads = readsOf(E, F);
    if (!Reads) {
      refuse("`" + K.S.text(E) + "` does more than to read", E);
      return false;
    }
    for (const ast::Effect &R : *Reads)
      if (Own.isShared(R.Where)) {
        Changes May(F, Own, K.S, K.StrictAliasing);
        May.addStatement(G.Store);
        Judgement J = May.judge({{R}, ownerOf(E), K.S.text(E)});
        if (J.What >= Judgement::Updates) {
          refuse("`" + K.S.text(E) + "` may be one of the bytes that are written", E);
          return false;
        }
        for (const Remark &A : J.Why)
          if (!llvm::is_contained(Out.Assumptions, A))
            Out.Assumptions.push_back(A);
      }
    return true;
  }

  void rewrite(const ByteStores &G) {
    const SourceManager &SM = K.S.SM;
    if (G.From->getBeginLoc().isMacroID() || G.To->getEndLoc().isMacroID())
      return refuse("the stores are written by a macro", G.From);
    // The container's own class reads its fields: only what its index and the
    // value read is of interest, and the pointer that it is.
    if (!staysPut(G, G.Value))
      return;
    for (const Expr *T : G.At.Terms)
      if (!staysPut(G, T))
        return;
    if (!isa<CXXOperatorCallExpr>(G.Store->getLHS()->IgnoreParens()) &&
        !G.Base->IgnoreParenImpCasts()->getType()->isArrayType() && !staysPut(G, G.Base))
      return;
    std::string Place;
    for (const Expr *T : G.At.Terms)
      Place += (Place.empty() ? "" : " + ") +
               (isa<BinaryOperator, ConditionalOperator>(T) && cast<Expr>(T) && G.At.Terms.size() > 1
                    ? "(" + K.S.text(T) + ")"
                    : K.S.text(T));
    if (G.At.L.Constant != 0 || Place.empty())
      Place += G.At.L.Constant < 0 ? " - " + std::to_string(-G.At.L.Constant)
                                   : (Place.empty() ? "" : " + ") + std::to_string(G.At.L.Constant);
    auto Begin = SM.getDecomposedLoc(G.From->getBeginLoc());
    SourceLocation EndLoc = G.To->getEndLoc();
    const StringRef Buffer = SM.getBufferData(Begin.first);
    size_t Start = Buffer.take_front(Begin.second).rfind('\n') + 1;
    size_t End = Buffer.find('\n', SM.getFileOffset(EndLoc));
    if (!Buffer.slice(Start, Begin.second).trim(" \t").empty() || End == StringRef::npos)
      return refuse("something else stands on the line of the stores", G.From);
    const std::string Eol = K.S.lineEnd(G.From->getBeginLoc()), In = K.S.indentation(G.From->getBeginLoc());
    const std::string Step =
        In.starts_with("\t") ? "\t" : std::string(In.size() >= 4 && In.size() % 4 == 0 ? 4 : 2, ' ');
    const std::string Word = Free.make("word", "");
    const char *Type = G.N == 8 ? "unsigned long long" : G.N == 4 ? "unsigned int" : "unsigned short";
    std::string Value = K.S.text(G.Value);
    std::string Text = "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__" + Eol + In + "{" +
                       Eol + In + Step + "const " + Type + " " + Word + " = ";
    const std::string Cast = C.getLangOpts().CPlusPlus ? "static_cast<" + std::string(Type) + ">(" + Value + ")"
                                                       : "(" + std::string(Type) + ")(" + Value + ")";
    Text += G.Little ? Cast : "__builtin_bswap" + std::to_string(8 * G.N) + "(" + Cast + ")";
    Text += ";" + Eol + In + Step + copy() + "(&" + K.S.text(G.Base->IgnoreImpCasts()) + "[" + Place + "], &" + Word +
            ", sizeof " + Word + ");" + Eol + In + "}" + Eol + "#else" + Eol;
    SourceLocation File = SM.getLocForStartOfFile(Begin.first);
    Out.Edits.push_back(K.S.insert(File.getLocWithOffset(int(Start)), Text));
    Out.Edits.push_back(K.S.insert(File.getLocWithOffset(int(End + 1)), "#endif" + Eol));
    Out.What = std::string("stores the bytes of `") + Value + "` at once" + (G.Little ? "" : ", swapped");
  }

  std::string copy() {
    IdentifierInfo &II = C.Idents.get("memcpy");
    const bool Global =
        llvm::any_of(C.getTranslationUnitDecl()->lookup(&II), [](const NamedDecl *D) { return !D->isImplicit(); });
    if (!C.getLangOpts().CPlusPlus) {
      NeedsInclude |= !Global;
      return "memcpy";
    }
    for (const NamedDecl *D : C.getTranslationUnitDecl()->lookup(&C.Idents.get("std")))
      if (const auto *NS = dyn_cast<NamespaceDecl>(D))
        if (!NS->lookup(&II).empty())
          return "std::memcpy";
    NeedsInclude |= !Global;
    return Global ? "memcpy" : "std::memcpy";
  }

  const ast::FunctionFacts &F;
  const Context &K;
  ASTContext &C;
  ast::Locals Own;
  Names Free;
  Answer &Out;
  bool NeedsInclude = false;
};

} // namespace

void wideStore(const ast::FunctionFacts &F, const Context &K, Answer &Out) { WideStore(F, K, Out).run(); }

} // namespace whyhot::fix
