// One run of the front end over one command line: unoptimised IR with line
// tables, made the way the user's own compile makes it.
#pragma once

#include "ast/match.h"
#include "fix/fix.h"
#include "frontend/file.h"
#include "frontend/preamble.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace whyhot::frontend {

struct Unit {
  // Context first: the module must die before it.
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> Module; // null when the unit did not compile
  std::unique_ptr<llvm::TargetMachine> Target;
  llvm::OptimizationLevel Level = llvm::OptimizationLevel::O2;
  bool StrictAliasing = true;
  bool Unoptimised = false; // the command line had no -O, or -O0
  std::vector<std::string> Errors;
  std::vector<std::string> Notes; // what of the command line was left out
  // Every file the front end read, system headers too: what a cache must watch.
  std::vector<std::string> Dependencies;
  // Where a file that was not found would have been: the unit failed for lack of
  // one, and compiles differently once it is there.
  std::vector<std::string> Absent;
  std::string Preamble; // "made" or "used", "" where there is none
  ast::Result Ast;
  fix::Answer Fix;
};

// What is wanted of the one run. Without IR none is generated.
struct Layers {
  bool IR = true;
  const ast::Options *Ast = nullptr; // null: no AST layer
  const fix::Request *Fix = nullptr; // a rewrite; no other layer runs then
  const std::vector<File> *Files = nullptr;
  Preambles *Kept = nullptr; // null: the unit is compiled from its first line on
};

// Arguments include the compiler's name; the process's working directory does
// not matter, Directory does.
Unit compile(const std::string &Directory, const std::vector<std::string> &Arguments, const Layers &Wanted);

} // namespace whyhot::frontend
