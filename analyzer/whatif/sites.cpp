#include "sites.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace whyhot::whatif {
namespace {

bool isTail(StringRef Full, StringRef Tail) {
  return Full.ends_with(Tail) && (Full.size() == Tail.size() || Full[Full.size() - Tail.size() - 1] == '/');
}

} // namespace

bool sameFile(StringRef A, StringRef B) {
  if (A == B)
    return true;
  if (sys::path::filename(A) != sys::path::filename(B))
    return false;
  if (!sys::path::is_absolute(A))
    return isTail(B, A);
  if (!sys::path::is_absolute(B))
    return isTail(A, B);
  return sys::fs::equivalent(A, B);
}

const std::string &Sites::pathOf(const DIFile *F) {
  std::string &Path = Paths[F];
  if (Path.empty()) {
    SmallString<256> Full(F->getFilename());
    if (!sys::path::is_absolute(Full) && !F->getDirectory().empty()) {
      Full = F->getDirectory();
      sys::path::append(Full, F->getFilename());
    }
    sys::path::remove_dots(Full, /*remove_dot_dot=*/true);
    Path = Full.str().str();
  }
  return Path;
}

bool Sites::at(const Point &P, const DILocation &At) {
  return P.Line == At.getLine() && (P.Column == 0 || P.Column == At.getColumn()) && At.getFile() &&
         sameFile(pathOf(At.getFile()), P.File);
}

bool Sites::follows(const Chain &Place, const DILocation *At) {
  for (const Point &P : Place) {
    if (!At || !at(P, *At))
      return false;
    At = At->getInlinedAt();
  }
  return !Place.empty();
}

bool Sites::contains(const std::vector<Chain> &Places, const DILocation *At) {
  return At && any_of(Places, [&](const Chain &C) { return follows(C, At); });
}

bool Sites::mayHold(const Module &M, const Edit &E) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      const DILocation *At = I.getDebugLoc().get();
      auto isEnd = [&](const Chain &C) { return !C.empty() && at(C.back(), *At); };
      if (At && (any_of(E.Loops, isEnd) || any_of(E.Accesses, isEnd)))
        return true;
    }
  return false;
}

} // namespace whyhot::whatif
