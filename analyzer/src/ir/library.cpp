#include "ir/library.h"

#include "ir/loops.h"

using namespace llvm;

namespace whyhot::ir {
namespace {

constexpr char Noted[] = "whyhot.library";

bool isNoted(const Module &M, StringRef Path) {
  const NamedMDNode *List = M.getNamedMetadata(Noted);
  return List && any_of(List->operands(),
                        [&](const MDNode *N) { return cast<MDString>(N->getOperand(0))->getString() == Path; });
}

} // namespace

void noteLibraryFiles(Module &M, const std::set<std::string> &Files) {
  NamedMDNode *List = M.getOrInsertNamedMetadata(Noted);
  for (const std::string &File : Files)
    List->addOperand(MDNode::get(M.getContext(), {MDString::get(M.getContext(), File)}));
}

bool Library::holds(const DILocation *At) {
  const DIFile *File = At ? At->getFile() : nullptr;
  if (!File)
    return false;
  const auto [It, New] = Known.try_emplace(File, false);
  if (New)
    It->second = isNoted(M, pathOf(*File));
  return It->second;
}

bool Library::holds(const Instruction &I) { return holds(I.getDebugLoc().get()); }

// The call in the user's code that the instruction belongs to; null where it is
// written there itself. A place that calls are inlined into is one object of the
// debug information, however many instructions come from the call.
const DILocation *Library::callIn(const Instruction &I) {
  const DILocation *At = I.getDebugLoc().get();
  if (!holds(At))
    return nullptr;
  while (At && holds(At))
    At = At->getInlinedAt();
  return At;
}

bool Library::isInsideWritingCall(const Instruction &Load, ArrayRef<Instruction *> Writers) {
  const DILocation *Call = callIn(Load);
  return Call && any_of(Writers, [&](const Instruction *W) { return callIn(*W) == Call; });
}

} // namespace whyhot::ir
