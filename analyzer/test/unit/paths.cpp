// Access paths: which of them are equal, and what they answer. Every path is made
// of an expression, as the analyser makes it; a failure names the two expressions.
#include "ast/facts/callees.h"

#include "unit.h"

#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
using namespace whyhot::ast;

namespace {

const char *const Declarations = R"(
  struct Inner { int x, y; };
  struct Buffer {
    unsigned char *data;
    int used;
    Inner in, list[4];
    Buffer *next;
    int m[4][4];
    int size() const { return used; }
    unsigned char &at(int i) { return data[i]; }
    Inner &inner() { return in; }
  };
  int table[8];
  enum { Two = 2, Less = -1 };
  inline int entry(int i) { return table[i]; }
  inline const int *after(const int *p) { return p + 1; }
  inline int load(const int &r) { return r; }
  inline long between(const int *a, const int *b) { return b - a; }
  void test(Buffer *b, Buffer *c, Buffer v, Buffer w, int *p, int *q, int i, int j, unsigned u, long n) {
)";

// Two expressions in one function, and where they lead.
class Two {
public:
  Two(const std::string &First, const std::string &Second)
      : Unit(tooling::buildASTFromCodeWithArgs(Declarations + ("(void)(" + First + "); (void)(" + Second + "); }"),
                                               {"-std=c++17", "-w"})),
        Known(Unit->getASTContext()) {
    if (Unit->getDiagnostics().hasErrorOccurred())
      llvm::report_fatal_error(llvm::Twine("the test does not compile: ") + First + "; " + Second);
    for (const Decl *D : Unit->getASTContext().getTranslationUnitDecl()->decls())
      if (const auto *F = dyn_cast<FunctionDecl>(D); F && F->getNameAsString() == "test")
        for (const Stmt *S : cast<CompoundStmt>(F->getBody())->body())
          Found.push_back(path(cast<CastExpr>(S)->getSubExpr()));
  }
  const Path &first() const { return Found.at(0); }
  const Path &second() const { return Found.at(1); }

private:
  Path path(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    return E->isGLValue() ? Known.effects().paths().lvalue(E) : Known.effects().paths().value(E);
  }

  std::unique_ptr<ASTUnit> Unit;
  Callees Known;
  std::vector<Path> Found;
};

void same(const std::string &A, const std::string &B) {
  const Two Of(A, B);
  expect(Of.first().At == Of.second().At && Of.first().Exact && Of.second().Exact, A + " is " + B);
  expect(hash_value(Of.first().At) == hash_value(Of.second().At), "one hash for " + A + " and " + B);
}

void differ(const std::string &A, const std::string &B) {
  const Two Of(A, B);
  expect(!(Of.first().At == Of.second().At), A + " is not " + B);
}

using Question = bool (AccessPath::*)(const AccessPath &) const;

// Does the first answer so about the second?
void answers(Question Q, const char *Name, const std::string &A, const std::string &B, bool Want) {
  const Two Of(A, B);
  expect((Of.first().At.*Q)(Of.second().At) == Want, A + (Want ? " " : " not ") + Name + " " + B);
}

void equality() {
  same("b->in.x", "(*b).in.x");
  same("p[0]", "*p");
  same("p[i]", "*(i + p)");
  same("p[-1]", "*(p - 1)");
  same("p[Less]", "p[-1]");
  same("p[Two]", "p[2]");
  same("p[i - 1]", "*(p + i - 1)");
  same("p[i + j]", "p[j + i]");
  same("p[1 + 2 * i]", "p[i * 2 + 1]");
  same("p[u & 7]", "p[(unsigned long)(u & 7)]");
  same("b->m[0][i]", "(*b->m)[i]");
  same("b->m[i][1]", "(&b->m[i][0])[1]");
  same("(&p[1])[2]", "p[3]");
  same("(&v)->used", "v.used");
  differ("b->in.x", "b->in.y");
  differ("b->in.x", "c->in.x");
  differ("v.used", "w.used");
  differ("b->data", "*b->data");
  differ("p[i]", "p[j]");
  differ("p[i - j]", "p[j - i]");
  differ("p[12]", "p[1]");
  differ("b->m[0][i]", "b->m[i][0]");
  differ("p[i]", "p[(char)i]");
  differ("p[i]", "p[(bool)i]");
  differ("p[n & 7]", "p[(long)&n & 7]");
}

void throughCalls() {
  same("b->size()", "b->used");
  same("v.size()", "v.used");
  same("b->at(i)", "b->data[i]");
  same("b->at(b->size())", "b->data[b->used]");
  same("b->inner().x", "b->in.x");
  same("b->at(0)", "*b->data");
  same("entry(i + 1)", "table[i + 1]");
  same("load(b->in.y)", "b->in.y");
  same("*after(p)", "p[1]");
  same("*after(p + 2)", "p[3]");
  same("*after(after(p))", "p[2]");
  same("q[between(p, p + i)]", "q[p + i - p]");
  differ("*after(p + 2)", "p[1]");
  differ("b->at(i)", "b->at(j)");
  differ("q[between(p, q)]", "q[between(p + 1, q)]");

  const Two Of("entry(i)", "load(b->in.y)");
  expect(Of.first().At.variable() && Of.first().At.variable()->getName() == "table", "entry(i) begins at table");
  expect(Of.second().At.field() && Of.second().At.field()->getName() == "y", "load(b->in.y) ends in y");
}

void parts() {
  const auto startsWith = [](const char *A, const char *B, bool Want) {
    answers(&AccessPath::startsWith, "begins with", A, B, Want);
  };
  startsWith("b->in.x", "b->in.x", true);
  startsWith("b->in.x", "b->in", true);
  startsWith("b->next->used", "b->next", true);
  startsWith("b->in", "b->in.x", false);
  startsWith("b->in.x", "c->in", false);

  const auto leadsThrough = [](const char *A, const char *B, bool Want) {
    answers(&AccessPath::leadsThrough, "leads through", A, B, Want);
  };
  leadsThrough("b->in.x", "b->in", true);
  leadsThrough("b->list[i].x", "b->list", true);
  leadsThrough("b->in.x", "*b", true);
  leadsThrough("b->next->used", "*b", true);
  leadsThrough("b->next->used", "b->next", false);
  leadsThrough("b->in", "b->in.x", false);

  const auto shares = [](const char *A, const char *B, bool Want) {
    answers(&AccessPath::sharesObjectWith, "is in the object of", A, B, Want);
  };
  shares("b->in.x", "b->used", true);
  shares("b->next->used", "b->next->data", true);
  shares("b->used", "b->next->used", false);
  shares("b->used", "c->used", false);
  shares("v.used", "v.data", false);

  const auto overlaps = [](const char *A, const char *B, bool Want) {
    answers(&AccessPath::mayOverlap, "may overlap", A, B, Want);
  };
  overlaps("v.in", "v.in.x", true);
  overlaps("v.in.x", "v.in", true);
  overlaps("v.list[i].x", "v.list[j]", true);
  overlaps("v.in.x", "v.in.y", false);
  overlaps("v.in", "w.in", false);
}

void dependence() {
  const auto dependsOn = [](const char *A, const char *B, bool Want) {
    answers(&AccessPath::dependsOn, "depends on", A, B, Want);
  };
  dependsOn("b->next->used", "b->next", true);
  dependsOn("b->next->used", "b", true);
  dependsOn("b->next->used", "*b", true);
  dependsOn("b->next->used", "b->used", false);
  dependsOn("b->next->used", "b->next->used", false);
  dependsOn("p[i]", "i", true);
  dependsOn("p[i + 2 * b->used]", "b->used", true);
  dependsOn("p[i + 2 * b->used]", "b", true);
  dependsOn("p[i]", "j", false);
  dependsOn("p[2]", "*p", false);
  dependsOn("table[v.used]", "v", true);
  dependsOn("p[(long)&n]", "n", false);
}

void questions() {
  const auto of = [](const char *E) { return Two(E, E); };
  expect(of("v.in.x").first().At.isDirect(), "v.in.x is direct");
  expect(!of("b->in.x").first().At.isDirect(), "b->in.x is not direct");
  expect(of("b->next->data[i]").first().At.follows() == 3, "b->next->data[i] follows three pointers");
  expect(of("v.list[2].x").first().At.isFixed(), "nothing changes where v.list[2].x is");
  expect(!of("v.list[i].x").first().At.isFixed(), "i changes where v.list[i].x is");
  expect(!of("b->used").first().At.isFixed(), "b changes where b->used is");
  expect(of("b->list[i].x").first().At.hasElement(), "b->list[i].x is in an element");
  expect(!of("b->in.x").first().At.hasElement(), "b->in.x is in no element");
  expect(!of("v.m[i * j][2]").first().At.follows(), "the product in v.m[i * j][2] follows nothing");

  const auto field = [&](const char *E, const char *Want) {
    const Two Of = of(E);
    const FieldDecl *F = Of.first().At.fieldWithin();
    expect((F ? F->getName() : "none") == Want, llvm::Twine(E) + " is in field " + Want);
  };
  field("b->list[i].x", "x");
  field("b->m[i][j]", "m");
  field("b->data[i]", "none");
  field("b->data[b->used]", "none"); // the index has a field, the element none
  const Two Of = of("b->in.x");
  expect(Of.first().At.members().size() == 2, "b->in.x is two members down");
  expect(of("b->list[i].x").first().At.members().size() == 1, "b->list[i].x is of member list");
}

void changing() {
  for (const char *E : {"p[i++]", "*p++", "*(p += 1)", "p[b->at(i++)]"})
    expect(!Two(E, E).first().Exact, llvm::Twine(E) + " is another place each time");
}

} // namespace

int main() {
  equality();
  throughCalls();
  parts();
  dependence();
  questions();
  changing();
  verdicts();
  return Failed > 0;
}
