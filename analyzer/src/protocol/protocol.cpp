#include "protocol/protocol.h"

#include "protocol/ast_json.h"
#include "protocol/fix_json.h"
#include "protocol/machine_json.h"
#include "protocol/records_json.h"

using namespace llvm;

namespace whyhot::protocol {
namespace {

json::Array toJson(const ir::SourceChain &Chain) {
  json::Array A;
  for (const ir::SourcePoint &P : Chain)
    A.push_back(json::Object{{"file", P.File}, {"line", P.Line}, {"column", P.Column}, {"function", P.Function}});
  return A;
}

json::Array toJson(const std::vector<ir::Access> &List) {
  json::Array A;
  for (const ir::Access &X : List)
    A.push_back(json::Object{{"kind", X.Kind}, {"type", X.Type}, {"where", toJson(X.Where)}});
  return A;
}

json::Object toJson(const ir::Remark &R) {
  static const char *const Kinds[] = {"passed", "missed", "analysis"};
  return json::Object{{"kind", Kinds[int(R.Kind)]}, {"pass", R.Pass},       {"name", R.Name},
                      {"function", R.Function},     {"message", R.Message}, {"where", toJson(R.Where)}};
}

json::Array toJson(const std::vector<ir::Remark> &List) {
  json::Array A;
  for (const ir::Remark &R : List)
    A.push_back(toJson(R));
  return A;
}

json::Object toJson(const ir::LoopState &S) {
  json::Object Cycles;
  for (const auto &[CPU, N] : S.Cycles)
    Cycles[CPU] = N;
  return json::Object{{"cycles", std::move(Cycles)},
                      {"assembly", S.Assembly},
                      {"remarks", toJson(S.Remarks)},
                      {"present", S.Present},
                      {"idiom", S.Idiom},
                      {"fully_unrolled", S.FullyUnrolled},
                      {"vectorised", S.Vectorised},
                      {"vector_width", S.VectorWidth},
                      {"interleave", S.Interleave},
                      {"unroll", S.Unroll},
                      {"calls", S.Calls},
                      {"reloads", S.Reloads},
                      {"loads_per_iteration", S.LoadsPerIteration},
                      {"stores_per_iteration", S.StoresPerIteration},
                      {"usual_loads", S.UsualLoads},
                      {"usual_nest_loads", S.UsualNestLoads},
                      {"usual_nest_calls", S.UsualNestCalls},
                      {"vector_cost", S.VectorCost}};
}

json::Array toJson(const std::vector<ir::SourceLoop> &List) {
  json::Array A;
  for (const ir::SourceLoop &L : List)
    A.push_back(json::Object{{"function", L.Function},
                             {"file", json::fixUTF8(L.File)},
                             {"line", L.Line},
                             {"column", L.Column},
                             {"end_line", L.EndLine},
                             {"depth", L.Depth}});
  return A;
}

json::Array toJson(const std::vector<std::vector<unsigned>> &Groups) {
  json::Array A;
  for (const std::vector<unsigned> &G : Groups)
    A.push_back(json::Array(G));
  return A;
}

json::Array toJson(const std::vector<ir::FineCopy> &List) {
  json::Array A;
  for (const ir::FineCopy &F : List)
    A.push_back(json::Object{{"function", F.Function}, {"start", toJson(F.Start)}});
  return A;
}

json::Object toJson(const ir::Candidate &C) {
  json::Object Worlds;
  for (const auto &[Name, State] : C.Worlds)
    Worlds[Name] = toJson(State);
  json::Object Effects;
  for (const auto &[World, Effect] : C.Effects)
    Effects[World] = Effect;
  json::Array Enclosing;
  for (const ir::SourceChain &Start : C.Enclosing)
    Enclosing.push_back(toJson(Start));
  return json::Object{{"predicate", C.Predicate},
                      {"function", C.Function},
                      {"start", toJson(C.Start)},
                      {"end_line", C.EndLine},
                      {"enclosing", std::move(Enclosing)},
                      {"most_iterations", C.MostIterations},
                      {"carries", C.Carries},
                      {"capacity", C.Capacity},
                      {"part", C.Part},
                      {"pads", C.Pads},
                      {"digits", C.Digits},
                      {"counts", C.Counts},
                      {"fine", toJson(C.Fine)},
                      {"depth", C.Depth},
                      {"innermost", C.Innermost},
                      {"loads", toJson(C.Loads)},
                      {"writes", toJson(C.Writes)},
                      {"slow_calls", toJson(C.Calls)},
                      {"worlds", std::move(Worlds)},
                      {"confirmed", C.Confirmed},
                      {"reach", json::Array(C.Reach)},
                      {"effect", C.Effect},
                      {"effects", std::move(Effects)},
                      {"groups", toJson(C.Groups)}};
}

// The JSON parser calls itself for every level.
constexpr unsigned MaxNesting = 64;

bool nestsTooDeep(StringRef Line) {
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Line.size(); ++I) {
    const char C = Line[I];
    if (InString && C == '\\')
      ++I;
    else if (C == '"')
      InString = !InString;
    else if (!InString && (C == '[' || C == '{') && ++Depth > MaxNesting)
      return true;
    else if (!InString && (C == ']' || C == '}') && Depth > 0)
      --Depth;
  }
  return false;
}

Error parseAt(const json::Object &O, Request &R) {
  const json::Value *V = O.get("at");
  if (!V)
    return Error::success();
  const json::Object *At = V->getAsObject();
  auto File = At ? At->getString("file") : std::nullopt;
  auto Line = At ? At->getInteger("line") : std::nullopt;
  if (!File || File->empty() || !Line || *Line < 1)
    return createStringError("\"at\" wants a \"file\" and a \"line\" of 1 or more");
  R.File = File->str();
  R.Line = unsigned(*Line);
  return Error::success();
}

} // namespace

Expected<Request> parse(StringRef Line) {
  if (nestsTooDeep(Line))
    return createStringError("the request is nested too deep");
  auto V = json::parse(Line);
  if (!V)
    return V.takeError();
  const json::Object *O = V->getAsObject();
  if (!O)
    return createStringError("a request is a JSON object");
  if (O->getInteger("version") != Version)
    return createStringError("this analyser speaks version %d of the protocol", Version);
  Request R;
  R.Id = O->getString("id").value_or("").str();
  R.Directory = O->getString("directory").value_or(".").str();
  R.Remarks = O->getBoolean("remarks").value_or(false);
  R.Blame = O->getBoolean("blame").value_or(false);
  R.Assembly = O->getBoolean("assembly").value_or(false);
  R.Cycles = O->getBoolean("cycles").value_or(false);
  R.EveryLoop = O->getBoolean("every_loop").value_or(false);
  if (Error E = parseMachine(*O, R))
    return E;
  R.Record = O->getString("record").value_or("").str();
  if (R.Machine || !R.Record.empty())
    return R;
  if (Error E = strings(*O, "arguments", R.Arguments))
    return E;
  if (Error E = strings(*O, "predicates", R.Predicates))
    return E;
  if (Error E = strings(*O, "functions", R.Functions))
    return E;
  if (Error E = parseAst(*O, R))
    return E;
  if (Error E = parseAt(*O, R))
    return E;
  if (Error E = parseFix(*O, R))
    return E;
  R.Preamble = O->getBoolean("preamble").value_or(false);
  R.Whole = O->getBoolean("whole").value_or(false);
  if (R.Arguments.empty())
    return createStringError("\"arguments\" is missing or empty");
  if (R.Predicates.empty())
    R.Predicates = {"char"};
  for (const std::string &P : R.Predicates)
    if (!ir::findPredicate(P))
      return createStringError("unknown predicate \"%s\"", P.c_str());
  return R;
}

json::Value toJson(const Reply &R) {
  if (R.Machine)
    return json::Object{{"version", Version}, {"id", R.Id}, {"machine", toJson(*R.Machine)}};
  if (R.Record)
    return json::Object{{"version", Version}, {"id", R.Id}, {"record", toJson(*R.Record)}};
  json::Array Candidates;
  for (const ir::Candidate &C : R.Result.Candidates)
    Candidates.push_back(toJson(C));
  return json::Object{{"version", Version},
                      {"id", R.Id},
                      {"errors", json::Array(R.Errors)},
                      {"notes", json::Array(R.Notes)},
                      {"dependencies", json::Array(R.Dependencies)},
                      {"absent", json::Array(R.Absent)},
                      {"unoptimised", R.Unoptimised},
                      {"strict_aliasing", R.StrictAliasing},
                      {"loops", R.Result.Loops},
                      {"source_loops", toJson(R.Result.SourceLoops)},
                      {"undefined", json::Array(R.Result.Undefined)},
                      {"candidates", std::move(Candidates)},
                      {"remarks", toJson(R.Result.Remarks)},
                      {"matches", toJson(R.Ast.Matches)},
                      {"sites", toJson(R.Ast.Sites)},
                      {"functions", functionsIn(R)},
                      {"hoists", hoistsIn(R)},
                      {"fix", R.Fix ? toJson(*R.Fix) : json::Value(nullptr)},
                      {"rule_errors", json::Array(R.Ast.Errors)},
                      {"preamble", R.Preamble},
                      {"reused", R.Result.Reused},
                      {"front_end_seconds", R.FrontEndSeconds},
                      {"analysis_seconds", R.AnalysisSeconds}};
}

} // namespace whyhot::protocol
