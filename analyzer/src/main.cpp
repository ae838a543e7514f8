// whyhot-analyzer: reads one request a line, answers one line each. No answer
// depends on an earlier request, so a crash costs the unit it happened in. What is
// kept between requests that ask for it is precompiled preambles and what was said of
// functions.
#include "frontend/unit.h"
#include "ir/reuse/kept.h"
#include "ir/worlds.h"
#include "machine/machine.h"
#include "protocol/protocol.h"
#include "records/records.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <iostream>
#include <string>

using namespace whyhot;

namespace {

constexpr const char *Version =
#include "version.inc"
    ;

double since(std::chrono::steady_clock::time_point Start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
}

// What tells a unit from others.
std::string unitOf(const protocol::Request &R) {
  return R.Directory + '\0' + llvm::join(R.Arguments, std::string_view("\0", 1));
}

// Both only save time.
struct Memory {
  frontend::Preambles Preambles;
  ir::reuse::Kept Analyses;
};

protocol::Reply answer(const protocol::Request &R, Memory &Kept) {
  protocol::Reply Out;
  Out.Id = R.Id;
  if (R.Machine) {
    Out.Machine = machine::answer(*R.Machine);
    return Out;
  }
  if (!R.Record.empty()) {
    Out.Record = records::read(R.Record);
    return Out;
  }
  auto Start = std::chrono::steady_clock::now();
  frontend::Unit U = frontend::compile(R.Directory, R.Arguments,
                                       {R.IR, R.AST ? &R.AstOptions : nullptr, R.Fix ? &*R.Fix : nullptr, &R.Files,
                                        R.Preamble ? &Kept.Preambles : nullptr});
  Out.FrontEndSeconds = since(Start);
  Out.Errors = U.Errors;
  Out.Notes = U.Notes;
  Out.Dependencies = U.Dependencies;
  Out.Absent = U.Absent;
  Out.Unoptimised = U.Unoptimised;
  Out.StrictAliasing = U.StrictAliasing;
  Out.Preamble = U.Preamble;
  Out.Ast = std::move(U.Ast);
  if (R.Fix)
    Out.Fix = std::move(U.Fix);
  if (!U.Module || !U.Target)
    return Out;
  Start = std::chrono::steady_clock::now();
  ir::Options O;
  O.Predicates = R.Predicates;
  O.Functions = R.Functions;
  O.Level = U.Level;
  O.StrictAliasing = U.StrictAliasing;
  O.Remarks = R.Remarks;
  O.Blame = R.Blame;
  O.Assembly = R.Assembly;
  O.Cycles = R.Cycles;
  O.EveryLoop = R.EveryLoop;
  O.File = R.File;
  O.Line = R.Line;
  if (R.Preamble && R.Files.empty())
    Out.Result = Kept.Analyses.analyse(*U.Module, *U.Target, O, unitOf(R), R.Whole);
  else
    Out.Result = ir::analyse(*U.Module, *U.Target, O);
  Out.AnalysisSeconds = since(Start);
  return Out;
}

} // namespace

int main(int Argc, char **Argv) {
  // whyhot starts it without arguments.
  if (Argc > 1) {
    if (Argc == 2 && llvm::StringRef(Argv[1]) == "--version") {
      llvm::outs() << "whyhot-analyzer " << Version << "\n";
      return 0;
    }
    llvm::errs() << "whyhot-analyzer is started by whyhot: whyhot scan, explain -p, fix\n";
    return 2;
  }
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::InitializeAllAsmParsers();
  llvm::InitializeAllDisassemblers();
  std::ios::sync_with_stdio(false);
  Memory Kept;
  for (std::string Line; std::getline(std::cin, Line);) {
    if (Line.empty())
      continue;
    protocol::Reply Out;
    if (auto R = protocol::parse(Line))
      Out = answer(*R, Kept);
    else
      Out.Errors = {"bad request: " + llvm::toString(R.takeError())};
    llvm::outs() << protocol::toJson(Out) << "\n";
    llvm::outs().flush();
  }
  return 0;
}
