// The source text around an edit: ranges, indentation, line ends, free names.
#pragma once

#include "fix/fix.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ParentMap.h"
#include "clang/Lex/Preprocessor.h"

#include <optional>
#include <set>

namespace whyhot::fix {

class Source {
public:
  Source(clang::ASTContext &C, const clang::Preprocessor &PP) : C(C), PP(PP), SM(C.getSourceManager()) {}

  // The characters of a file that spell the range; none where a macro spells it.
  std::optional<clang::CharSourceRange> range(clang::SourceRange R) const;
  std::string text(const clang::Stmt *S) const;
  Remark remark(const llvm::Twine &Text, clang::SourceLocation At) const;
  bool isAt(clang::SourceLocation L, const Request &R) const; // in the file alone
  unsigned line(clang::SourceLocation L) const;
  unsigned bytes(clang::QualType T) const; // of a scalar, else 0
  unsigned endLine(const clang::Stmt *S) const;
  // Can the user edit the file?
  bool isEditable(clang::SourceLocation L) const;

  Edit replace(clang::CharSourceRange R, std::string Text) const;
  Edit insert(clang::SourceLocation At, std::string Text) const;
  // Lines before a statement, in its scope, indented as it is. A statement that
  // is no direct part of a block gets one around it.
  void before(const clang::Stmt *S, const clang::ParentMap &Parents, const std::vector<std::string> &Lines,
              std::vector<Edit> &Out) const {
    around(S, Parents, Lines, {}, Out);
  }
  // And lines behind it.
  void around(const clang::Stmt *S, const clang::ParentMap &Parents, const std::vector<std::string> &Before,
              const std::vector<std::string> &Behind, std::vector<Edit> &Out) const;
  std::string lineEnd(clang::SourceLocation L) const;
  std::string indentation(clang::SourceLocation L) const;
  // An #include after those at the top of the unit's main file.
  Edit include(llvm::StringRef Header) const;

  clang::ASTContext &C;
  const clang::Preprocessor &PP;
  const clang::SourceManager &SM;

private:
  std::string path(clang::FileID F) const;
  // Where a statement ends in its file, the semicolon included.
  size_t endOf(const clang::Stmt *S, clang::FileID F) const;
};

// Names that no declaration or macro in reach of a function has, in the style
// that the function's own names have.
class Names {
public:
  Names(const Source &S, const clang::FunctionDecl *F);
  // "text", "size" gives textSize or text_size.
  std::string make(llvm::StringRef Of, llvm::StringRef What);

private:
  void takeMembers(const clang::RecordDecl *R);

  const Source &S;
  std::set<std::string> Taken;
  bool Camel = true;
};

} // namespace whyhot::fix
