// The wire form: one JSON object a line in both directions, described in
// docs/analyzer-protocol.md. This is the only place that knows JSON.
#pragma once

#include "ast/match.h"
#include "fix/fix.h"
#include "frontend/file.h"
#include "ir/worlds.h"
#include "machine/machine.h"
#include "records/records.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace whyhot::protocol {

constexpr int Version = 1;

struct Request {
  std::string Id;
  std::string Directory;
  std::vector<std::string> Arguments;
  std::vector<std::string> Predicates;
  std::vector<std::string> Functions;
  bool Remarks = false;
  bool Blame = false;
  bool Assembly = false;
  bool Cycles = false;
  bool EveryLoop = false;
  std::string File; // of "at", "" when it is not given
  unsigned Line = 0;
  bool IR = true;
  bool AST = false;
  ast::Options AstOptions;
  std::optional<fix::Request> Fix;
  std::vector<frontend::File> Files;
  bool Preamble = false;                   // keep it
  bool Whole = false;                      // with Preamble: nothing that was said of functions is used
  std::optional<machine::Request> Machine; // asked instead of all of the above
  std::string Record;                      // a file; asked instead of all of the above, "" for none
};

llvm::Expected<Request> parse(llvm::StringRef Line);

struct Reply {
  std::string Id;
  std::vector<std::string> Errors;
  std::vector<std::string> Notes;
  std::vector<std::string> Dependencies;
  std::vector<std::string> Absent;
  bool Unoptimised = false;
  bool StrictAliasing = true;
  ir::Result Result;
  ast::Result Ast;
  std::optional<fix::Answer> Fix;
  std::optional<machine::Answer> Machine;
  std::optional<records::Answer> Record;
  std::string Preamble; // "made", "used" or ""
  double FrontEndSeconds = 0;
  double AnalysisSeconds = 0;
};

llvm::json::Value toJson(const Reply &R);

} // namespace whyhot::protocol
