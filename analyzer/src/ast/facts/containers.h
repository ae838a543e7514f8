// What the standard library's containers are, and whether a function only reads one.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

#include <string>

namespace whyhot::ast {

// The name of the container as people write it ("std::map"), empty where the type is
// none that gets its elements from the heap.
std::string containerName(clang::QualType T);

// Does nothing in the body change the variable, move from it or keep a way to do so?
// The variable may be referred to by references, iterators and pointers to elements;
// what is not understood counts as a change.
bool isOnlyRead(const clang::VarDecl *V, const clang::Stmt *Body);

} // namespace whyhot::ast
