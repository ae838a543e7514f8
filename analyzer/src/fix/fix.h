// Rewriting: one place and one kind of fix in, edits of the source out, or the
// reasons why there are none. It decides from the AST alone whether the meaning
// stays; what cannot be read off the source but is usual becomes an assumption
// that a person has to vouch for. It never writes a file.
#pragma once

#include "ast/match.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace whyhot::ast {
struct FunctionFacts;
}

namespace whyhot::fix {

// The kinds of fixes, by their names on the wire.
bool isKind(llvm::StringRef Kind);

struct Request {
  std::string Kind;
  std::string File; // compared from its end
  unsigned Line = 0;
  std::string Element; // of vector-bool: the name of the new type, a class; char8_t where there is none
};

// Replaces Length bytes at Offset of the file as the front end read it.
struct Edit {
  std::string File;
  unsigned Offset = 0;
  unsigned Length = 0;
  std::string Text;
  bool operator==(const Edit &) const = default;
};

// A sentence and the place it is about; line 0 where there is none.
struct Remark {
  std::string Text;
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
  bool operator==(const Remark &) const = default;
};

// A place where a type can be defined before it is used in the file.
struct Definition {
  std::string File;
  unsigned Offset = 0;
  bool operator==(const Definition &) const = default;
};

// A declaration (or what a function returns) whose type packs bits. It changes
// together with what it is tied to, in every unit that has it.
struct Slot {
  std::string Id; // the same in every unit
  std::string Name;
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
  bool Asked = false;            // it is what stands at the place
  bool Shared = false;           // other units may see it
  bool Function = false;         // a parameter, or what a function returns,
  bool Body = false;             // whose body this unit has
  std::vector<std::string> Ties; // identities
  std::vector<Edit> Edits;
  std::vector<Remark> Refusals; // why it cannot change
  std::vector<Definition> Definitions;
};

struct Answer {
  bool Found = false; // the unit has something of this kind there
  std::string What;   // what the edits do
  std::vector<Edit> Edits;
  std::vector<Remark> Refusals;
  std::vector<Remark> Assumptions;
  std::vector<Remark> Notes;
  std::vector<Slot> Slots;         // of vector-bool: who asks chooses what changes
  std::vector<std::string> Values; // that the edits read into locals
  std::vector<std::string> Kept;   // that the loop changes: in locals, written back wherever it ends
  // Lines where the loop reads again what stays in memory, with the bytes of it, 0 where
  // they are not known.
  std::set<std::pair<unsigned, unsigned>> Stays;
  // What the loop alone changes, by its own name, and no edit writes back.
  struct Update {
    std::string Text;
    unsigned Line; // of the first
  };
  std::vector<Update> Updates;
};

// What a hoist of each loop would read into locals: the advice of a finding says no
// more than the edit does. Takes loops as the AST layer comes to their functions.
class Advisor {
public:
  Advisor(clang::CompilerInstance &CI, bool StrictAliasing) : CI(CI), StrictAliasing(StrictAliasing) {}
  void look(const ast::FunctionFacts &F, std::vector<ast::Hoist> &Out);

private:
  clang::CompilerInstance &CI;
  const bool StrictAliasing;
  // Instantiations of a template are one loop of the source.
  std::map<std::tuple<std::string, unsigned, unsigned>, size_t> Seen;
};

std::unique_ptr<clang::ASTConsumer> makeConsumer(clang::CompilerInstance &CI, const Request &R, bool StrictAliasing,
                                                 Answer &Out);

} // namespace whyhot::fix
