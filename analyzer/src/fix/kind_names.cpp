#include "fix/fix.h"

#include "llvm/ADT/STLExtras.h"

namespace whyhot::fix {

bool isKind(llvm::StringRef Kind) {
  static const llvm::StringRef Names[] = {"hoist", "wide-store", "retype", "vector-bool", "bit-field", "whole-copy"};
  return llvm::is_contained(Names, Kind);
}

} // namespace whyhot::fix
