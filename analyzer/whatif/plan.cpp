#include "plan.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace whyhot::whatif {

bool fromJSON(const json::Value &V, Point &P, json::Path At) {
  json::ObjectMapper O(V, At);
  return O && O.map("file", P.File) && O.map("line", P.Line) && O.map("column", P.Column);
}

bool fromJSON(const json::Value &V, World &W, json::Path At) {
  const auto Name = V.getAsString();
  if (Name == "retyped")
    W = World::Retyped;
  else if (Name == "hoisted")
    W = World::Hoisted;
  else {
    At.report("expected \"retyped\" or \"hoisted\"");
    return false;
  }
  return true;
}

bool fromJSON(const json::Value &V, Edit &E, json::Path At) {
  json::ObjectMapper O(V, At);
  return O && O.map("finding", E.Finding) && O.map("predicate", E.Predicate) && O.map("world", E.In) &&
         O.mapOptional("loops", E.Loops) && O.mapOptional("accesses", E.Accesses);
}

bool fromJSON(const json::Value &V, Plan &P, json::Path At) {
  json::ObjectMapper O(V, At);
  return O && O.map("placebo", P.Placebo) && O.map("log", P.Log) && O.map("edits", P.Edits);
}

bool Edit::late() const {
  return In == World::Hoisted || any_of(Accesses, [](const Chain &C) { return C.size() > 1; });
}

bool Plan::late() const {
  return any_of(Edits, [](const Edit &E) { return E.late(); });
}

Expected<Plan> readPlan(StringRef Path) {
  auto Text = MemoryBuffer::getFile(Path);
  if (!Text)
    return createStringError(Text.getError(), "cannot read " + Path);
  auto Value = json::parse((*Text)->getBuffer());
  if (!Value)
    return Value.takeError();
  Plan P;
  json::Path::Root Root("plan");
  if (!fromJSON(*Value, P, Root))
    return Root.getError();
  return P;
}

} // namespace whyhot::whatif
