#include "protocol/records_json.h"

using namespace llvm;

namespace whyhot::protocol {

json::Value toJson(const records::Answer &A) {
  json::Array List;
  for (const records::Record &R : A.Records) {
    json::Object O{{"kind", R.Missed ? "missed" : "analysis"},
                   {"pass", json::fixUTF8(R.Pass)},
                   {"name", json::fixUTF8(R.Name)},
                   {"function", json::fixUTF8(R.Function)},
                   {"callee", json::fixUTF8(R.Callee)},
                   {"message", json::fixUTF8(R.Message)}};
    if (R.Line > 0)
      O["where"] = json::Array{json::Object{{"file", json::fixUTF8(R.File)}, {"line", R.Line}, {"column", R.Column}}};
    List.push_back(std::move(O));
  }
  return json::Object{{"error", json::fixUTF8(A.Error)}, {"remarks", std::move(List)}};
}

} // namespace whyhot::protocol
