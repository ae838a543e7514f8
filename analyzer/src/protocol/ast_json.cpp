#include "protocol/ast_json.h"

#include "llvm/Support/Path.h"

#include <set>

using namespace llvm;

namespace whyhot::protocol {
namespace {

json::Value toJson(const ast::Span &S) {
  if (S.Line == 0)
    return nullptr;
  return json::Object{{"file", json::fixUTF8(S.File)},
                      {"line", S.Line},
                      {"column", S.Column},
                      {"end_line", S.EndLine},
                      {"end_column", S.EndColumn},
                      {"text", json::fixUTF8(S.Text)}};
}

json::Object toJson(const ast::Match &M) {
  json::Object O{{"rule", M.Rule},
                 {"function", M.Function},
                 {"linkage", M.Linkage},
                 {"place", toJson(M.Place)},
                 {"in_loop", M.InLoop},
                 {"depth", M.Depth},
                 {"weak", M.Weak},
                 {"location", json::fixUTF8(M.Location)},
                 {"first", toJson(M.First)},
                 {"write", toJson(M.Write)},
                 {"second", toJson(M.Second)},
                 {"ends", toJson(M.Ends)},
                 {"notes", json::Array(M.Notes)}};
  if (!M.Target.Type.empty())
    O["written"] = json::Object{{"type", M.Target.Type},
                                {"declaration", M.Target.Declaration},
                                {"where", toJson(M.Target.Where)},
                                {"scope", M.Target.Scope}};
  return O;
}

Error userRules(const json::Object &O, ast::Options &Out) {
  const json::Value *V = O.get("user_rules");
  if (!V)
    return Error::success();
  const json::Array *A = V->getAsArray();
  if (!A)
    return createStringError("\"user_rules\" is not an array");
  for (const json::Value &X : *A) {
    const json::Object *Rule = X.getAsObject();
    auto Id = Rule ? Rule->getString("id") : std::nullopt;
    auto Matcher = Rule ? Rule->getString("matcher") : std::nullopt;
    if (!Id || !Matcher)
      return createStringError("a user rule has an \"id\" and a \"matcher\"");
    Out.UserRules.push_back({Id->str(), Matcher->str()});
  }
  return Error::success();
}

// The lines that findings may stand on, by the file's name alone: the front end and
// debug information may write a path in two ways.
std::map<StringRef, std::set<unsigned>> placesIn(const Reply &R) {
  std::map<StringRef, std::set<unsigned>> Lines;
  auto add = [&](StringRef File, unsigned Line) { Lines[sys::path::filename(File)].insert(Line); };
  for (const ir::Candidate &C : R.Result.Candidates)
    for (const ir::SourcePoint &P : C.Start)
      add(P.File, P.Line);
  for (const ir::SourceLoop &L : R.Result.SourceLoops)
    add(L.File, L.Line);
  for (const ast::Match &M : R.Ast.Matches)
    add(M.Place.File, M.Place.Line);
  return Lines;
}

} // namespace

Error strings(const json::Object &O, StringRef Key, std::vector<std::string> &Out) {
  const json::Value *V = O.get(Key);
  if (!V)
    return Error::success();
  const json::Array *A = V->getAsArray();
  if (!A)
    return createStringError("\"" + Key + "\" is not an array");
  for (const json::Value &X : *A) {
    auto S = X.getAsString();
    if (!S)
      return createStringError("\"" + Key + "\" holds something that is not a string");
    Out.push_back(S->str());
  }
  return Error::success();
}

Error parseAst(const json::Object &O, Request &R) {
  std::vector<std::string> Layers;
  if (Error E = strings(O, "layers", Layers))
    return E;
  if (!Layers.empty())
    R.IR = false;
  for (const std::string &L : Layers) {
    if (L != "ast" && L != "ir")
      return createStringError("unknown layer \"%s\": there are \"ast\" and \"ir\"", L.c_str());
    (L == "ast" ? R.AST : R.IR) = true;
  }
  if (Error E = strings(O, "ast_rules", R.AstOptions.Rules))
    return E;
  if (Error E = strings(O, "accessors", R.AstOptions.Accessors))
    return E;
  return userRules(O, R.AstOptions);
}

json::Object toJson(const std::map<std::string, std::vector<ast::Site>> &Sites) {
  json::Object O;
  for (const auto &[Function, List] : Sites) {
    if (List.empty())
      continue;
    json::Array A;
    A.reserve(List.size()); // growing copies: a Value's move may throw
    for (const ast::Site &S : List)
      A.push_back(json::Object{{"where", toJson(S.Where)}, {"function", S.Function}});
    O[json::fixUTF8(Function)] = std::move(A);
  }
  return O;
}

json::Array functionsIn(const Reply &R) {
  const std::map<StringRef, std::set<unsigned>> Lines = placesIn(R);
  json::Array A;
  for (const ast::Function &F : R.Ast.Functions) {
    auto It = Lines.find(sys::path::filename(F.File));
    if (It == Lines.end())
      continue;
    auto Line = It->second.lower_bound(F.Line);
    if (Line == It->second.end() || *Line > F.EndLine)
      continue;
    json::Array Loops;
    Loops.reserve(F.Loops.size());
    for (auto [At, Column] : F.Loops)
      Loops.push_back(json::Array{At, Column});
    A.push_back(json::Object{{"file", json::fixUTF8(F.File)},
                             {"line", F.Line},
                             {"end_line", F.EndLine},
                             {"key", json::fixUTF8(F.Key)},
                             {"loops", std::move(Loops)}});
  }
  return A;
}

json::Array hoistsIn(const Reply &R) {
  const std::map<StringRef, std::set<unsigned>> Lines = placesIn(R);
  json::Array A;
  for (const ast::Hoist &H : R.Ast.Hoists) {
    auto It = Lines.find(sys::path::filename(H.File));
    if (It == Lines.end() || !It->second.count(H.Line))
      continue;
    auto texts = [](const std::vector<std::string> &Texts) {
      json::Array A;
      A.reserve(Texts.size());
      for (const std::string &T : Texts)
        A.push_back(json::fixUTF8(T));
      return A;
    };
    json::Array Updates;
    Updates.reserve(H.Updates.size());
    for (const auto &[Text, Line] : H.Updates)
      Updates.push_back(json::Object{{"text", json::fixUTF8(Text)}, {"line", Line}});
    json::Array Stays;
    Stays.reserve(H.Stays.size());
    for (const auto &[Line, Bytes] : H.Stays)
      Stays.push_back(json::Object{{"line", Line}, {"bytes", Bytes}});
    A.push_back(json::Object{{"file", json::fixUTF8(H.File)},
                             {"line", H.Line},
                             {"column", H.Column},
                             {"values", texts(H.Values)},
                             {"kept", texts(H.Kept)},
                             {"updates", std::move(Updates)},
                             {"stays", std::move(Stays)},
                             {"refusal", json::fixUTF8(H.Refusal)}});
  }
  return A;
}

json::Array toJson(const std::vector<ast::Match> &Matches) {
  json::Array A;
  A.reserve(Matches.size());
  for (const ast::Match &M : Matches)
    A.push_back(toJson(M));
  return A;
}

} // namespace whyhot::protocol
