#include "protocol/machine_json.h"

#include "protocol/ast_json.h"

using namespace llvm;

namespace whyhot::protocol {
namespace {

json::Object toJson(const machine::Line &L) {
  json::Object O{{"address", L.Address}, {"size", L.Size}, {"text", json::fixUTF8(L.Text)}};
  if (L.Cause)
    O["cause"] = L.Cause;
  return O;
}

json::Array toJson(const std::vector<machine::Line> &List) {
  json::Array A;
  for (const machine::Line &L : List)
    A.push_back(toJson(L));
  return A;
}

json::Object toJson(const machine::Wait &W) {
  return json::Object{{"load", toJson(W.Load)}, {"at", W.At},           {"kind", W.Kind}, {"ahead", W.Ahead},
                      {"jumps", W.Jumps},       {"element", W.Element}, {"used", W.Used}};
}

json::Object toJson(const machine::Match &M) {
  json::Object Facts;
  for (const auto &[Name, Text] : M.Facts)
    Facts[Name] = json::fixUTF8(Text);
  return json::Object{{"rule", M.Rule}, {"at", json::Array(M.At)}, {"facts", std::move(Facts)}};
}

json::Object toJson(const machine::LoopCode &L) {
  json::Array Ranges, Matches;
  for (const auto &[Low, High] : L.Ranges)
    Ranges.push_back(json::Array{Low, High});
  for (const machine::Match &M : L.Matches)
    Matches.push_back(toJson(M));
  json::Object Cycles;
  for (const auto &[CPU, M] : L.Cycles)
    Cycles[CPU] = json::Object{{"least", M.Least}, {"most", M.Most}, {"limit", M.Limit}};
  return json::Object{{"header", L.Header},
                      {"parent", L.Parent},
                      {"depth", L.Depth},
                      {"innermost", L.Innermost},
                      {"ranges", std::move(Ranges)},
                      {"instructions", toJson(L.Lines)},
                      {"matches", std::move(Matches)},
                      {"cycles", std::move(Cycles)},
                      {"calls", L.Left.Calls},
                      {"atomic", L.Left.Atomic},
                      {"strings", L.Left.Strings},
                      {"step", L.Step}};
}

} // namespace

Error parseMachine(const json::Object &O, Request &R) {
  const json::Value *V = O.get("machine");
  if (!V)
    return Error::success();
  const json::Object *M = V->getAsObject();
  auto File = M ? M->getString("file") : std::nullopt;
  const json::Array *Functions = M ? M->getArray("functions") : nullptr;
  if (!File || File->empty() || !Functions)
    return createStringError("\"machine\" wants a \"file\" and \"functions\"");
  machine::Request Q;
  Q.File = File->str();
  Q.Cycles = M->getBoolean("cycles").value_or(false);
  if (const json::Array *Processors = M->getArray("processors"))
    for (const json::Value &P : *Processors)
      if (auto Name = P.getAsString())
        Q.Processors.push_back(Name->str());
  for (const json::Value &F : *Functions) {
    const json::Object *Fn = F.getAsObject();
    const json::Value *Low = Fn ? Fn->get("low") : nullptr, *High = Fn ? Fn->get("high") : nullptr;
    machine::Range Range;
    if (auto Symbol = Fn ? Fn->getString("symbol") : std::nullopt)
      Range.Symbol = Symbol->str();
    else if (!Low || !High || !Low->getAsUINT64() || !High->getAsUINT64())
      return createStringError("a function of \"machine\" wants a \"symbol\", or the addresses \"low\" and \"high\"");
    if (Range.Symbol.empty()) {
      Range.Low = *Low->getAsUINT64();
      Range.High = *High->getAsUINT64();
    }
    if (const json::Array *Sampled = Fn->getArray("sampled"))
      for (const json::Value &S : *Sampled)
        if (auto A = S.getAsUINT64())
          Range.Sampled.push_back(*A);
    llvm::sort(Range.Sampled);
    Q.Functions.push_back(std::move(Range));
  }
  R.Machine = std::move(Q);
  return Error::success();
}

json::Value toJson(const machine::Answer &A) {
  json::Array Functions;
  for (const machine::FunctionCode &F : A.Functions) {
    json::Array Loops, Waits;
    for (const machine::LoopCode &L : F.Loops)
      Loops.push_back(toJson(L));
    for (const machine::Wait &W : F.Waits)
      Waits.push_back(toJson(W));
    Functions.push_back(json::Object{{"low", F.Low},
                                     {"problem", F.Problem},
                                     {"unresolved", F.Unresolved},
                                     {"decoded", F.Instructions},
                                     {"loops", std::move(Loops)},
                                     {"outside", toJson(F.Outside)},
                                     {"waits", std::move(Waits)}});
  }
  return json::Object{{"error", A.Error}, {"functions", std::move(Functions)}};
}

} // namespace whyhot::protocol
