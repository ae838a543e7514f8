// Names a place of the source without its line numbers: by the function that it
// stands in and by the loops of that function, counted. Line numbers change with
// every edit above; debug information names instantiations, of which one source
// loop has many, and which differ from unit to unit.
//
// Example. In a header,
//
//   8  template <class T> struct Row {
//   9    void clear(T *P) { for (int I = 0; I < N; I++) P[I] = 0; }
//
// gives one function, "Row::clear void (T *)", of line 9, with the loop 9:24. It
// is the same for Row<int> and Row<char>, and where the header grows a line.
#pragma once

#include "ast/match.h"

#include "clang/AST/ASTContext.h"

namespace whyhot::ast {

// The functions with a body below the declarations, in the order of the source. What
// stands in a lambda or a local class belongs to the function around it.
std::vector<Function> functionsOf(const clang::ASTContext &C, const std::vector<clang::Decl *> &Own);

} // namespace whyhot::ast
