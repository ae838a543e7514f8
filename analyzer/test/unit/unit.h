// What the tests of this directory share.
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

inline int Failed = 0;

inline void expect(bool Is, const llvm::Twine &What) {
  if (Is)
    return;
  llvm::errs() << "not so: " << What << "\n";
  Failed++;
}

void verdicts();
