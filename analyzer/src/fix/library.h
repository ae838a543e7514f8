// What is known of the C and C++ libraries, whose bodies are not seen: by name,
// nothing is looked up.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

namespace whyhot::fix {

// Somewhere within std, members of its classes too.
bool isStd(const clang::Decl *D);

// The class of std that the type is, or refers to; nullptr where it is none.
const clang::CXXRecordDecl *stdClass(clang::QualType T);

// Functions of the C library that touch nothing but what their arguments point
// to, and hand control to no other thread.
bool isPlainLibraryCall(const clang::FunctionDecl *F);

// Does the call let other threads run, or wait for them?
bool synchronises(const clang::Expr *E);

// A library object that runs code of the program when it is called.
bool runsForeignCode(clang::QualType T);

} // namespace whyhot::fix
