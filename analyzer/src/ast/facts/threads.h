// Which functions of the unit run in threads that the unit starts, and which
// bit-fields they update.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <vector>

namespace whyhot::ast {

// The bit-fields that are one memory location of the language: neighbours with
// neither another member nor a bit-field of no width between them. An update of
// one reads and writes all.
std::vector<const clang::FieldDecl *> runOf(const clang::FieldDecl *F);

class ThreadFacts {
public:
  // To be called with every statement of a function's body.
  void see(const clang::Stmt *S, const clang::FunctionDecl *In);

  struct Update {
    const clang::FieldDecl *Field;
    const clang::FunctionDecl *In;
  };
  // An update of another bit-field of the word in a function that runs in
  // another thread than From does.
  std::optional<Update> elsewhere(const clang::FieldDecl *F, const clang::FunctionDecl *From) const;

private:
  using Functions = llvm::DenseSet<const clang::FunctionDecl *>;
  void starts(const clang::Expr *Entry);
  Functions reach(const clang::FunctionDecl *Entry) const;

  std::vector<const clang::FunctionDecl *> Entries;
  std::vector<Update> Updates;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<const clang::FunctionDecl *>> Calls;
};

} // namespace whyhot::ast
