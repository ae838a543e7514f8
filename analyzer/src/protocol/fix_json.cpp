#include "protocol/fix_json.h"

using namespace llvm;

namespace whyhot::protocol {
namespace {

json::Array toJson(const std::vector<fix::Remark> &List) {
  json::Array A;
  for (const fix::Remark &R : List)
    A.push_back(json::Object{
        {"text", json::fixUTF8(R.Text)}, {"file", json::fixUTF8(R.File)}, {"line", R.Line}, {"column", R.Column}});
  return A;
}

json::Array toJson(const std::vector<fix::Edit> &List) {
  json::Array A;
  for (const fix::Edit &E : List)
    A.push_back(json::Object{
        {"file", json::fixUTF8(E.File)}, {"offset", E.Offset}, {"length", E.Length}, {"text", json::fixUTF8(E.Text)}});
  return A;
}

json::Value toJson(const fix::Slot &S) {
  json::Array Definitions;
  for (const fix::Definition &D : S.Definitions)
    Definitions.push_back(json::Object{{"file", json::fixUTF8(D.File)}, {"offset", D.Offset}});
  return json::Object{{"id", json::fixUTF8(S.Id)},
                      {"name", json::fixUTF8(S.Name)},
                      {"file", json::fixUTF8(S.File)},
                      {"line", S.Line},
                      {"column", S.Column},
                      {"asked", S.Asked},
                      {"shared", S.Shared},
                      {"function", S.Function},
                      {"body", S.Body},
                      {"ties", json::Array(S.Ties)},
                      {"edits", toJson(S.Edits)},
                      {"refusals", toJson(S.Refusals)},
                      {"definitions", std::move(Definitions)}};
}

Error parseFiles(const json::Object &O, Request &R) {
  const json::Value *V = O.get("files");
  if (!V)
    return Error::success();
  const json::Array *A = V->getAsArray();
  if (!A)
    return createStringError("\"files\" is not an array");
  for (const json::Value &X : *A) {
    const json::Object *F = X.getAsObject();
    auto Path = F ? F->getString("path") : std::nullopt;
    auto Text = F ? F->getString("text") : std::nullopt;
    if (!Path || Path->empty() || !Text)
      return createStringError("each of \"files\" wants a \"path\" and a \"text\"");
    R.Files.push_back({Path->str(), Text->str()});
  }
  return Error::success();
}

} // namespace

Error parseFix(const json::Object &O, Request &R) {
  if (Error E = parseFiles(O, R))
    return E;
  const json::Value *V = O.get("fix");
  if (!V)
    return Error::success();
  const json::Object *F = V->getAsObject();
  auto Kind = F ? F->getString("kind") : std::nullopt;
  auto File = F ? F->getString("file") : std::nullopt;
  auto Line = F ? F->getInteger("line") : std::nullopt;
  if (!Kind || !File || File->empty() || !Line || *Line < 1)
    return createStringError("\"fix\" wants a \"kind\", a \"file\" and a \"line\" of 1 or more");
  if (!fix::isKind(*Kind))
    return createStringError("unknown kind of fix \"" + *Kind + "\"");
  R.Fix = fix::Request{Kind->str(), File->str(), unsigned(*Line), F->getString("element").value_or("").str()};
  return Error::success();
}

json::Value toJson(const fix::Answer &A) {
  json::Array Slots;
  for (const fix::Slot &S : A.Slots)
    Slots.push_back(toJson(S));
  return json::Object{{"found", A.Found},
                      {"what", json::fixUTF8(A.What)},
                      {"edits", toJson(A.Edits)},
                      {"refusals", toJson(A.Refusals)},
                      {"assumptions", toJson(A.Assumptions)},
                      {"notes", toJson(A.Notes)},
                      {"slots", std::move(Slots)}};
}

} // namespace whyhot::protocol
