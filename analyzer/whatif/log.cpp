#include "log.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace whyhot::whatif {

void append(const Plan &P, const Module &M, const Done &D) {
  std::error_code EC;
  raw_fd_ostream Out(P.Log, EC, sys::fs::OF_Append);
  if (EC) // a build whose edits nobody can count is worth nothing
    return M.getContext().emitError("whyhot what-if: cannot write " + P.Log + ": " + EC.message());
  std::string Line;
  raw_string_ostream(Line) << json::Value(json::Object{{"unit", M.getSourceFileName()},
                                                       {"optimised", D.Optimised},
                                                       {"tagged", D.Tagged},
                                                       {"positioned", D.Positioned},
                                                       {"met", json::Array(D.Met)},
                                                       {"made", json::Array(D.Made)}})
                           << '\n';
  Out << Line; // one write, so that compilers running side by side do not mix theirs
}

} // namespace whyhot::whatif
