// Fuzzes the reader of requests: any line is a request or an error, and what is
// read from it can be answered.
#include "protocol/protocol.h"

#include "llvm/Support/raw_ostream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace whyhot::protocol;
  auto R = parse(llvm::StringRef(reinterpret_cast<const char *>(Data), Size));
  if (!R) {
    if (llvm::toString(R.takeError()).empty())
      __builtin_trap();
    return 0;
  }
  const bool OfUnit = !R->Machine && R->Record.empty();
  if (OfUnit && (R->Arguments.empty() || R->Predicates.empty()))
    __builtin_trap();
  Reply Out;
  Out.Id = R->Id;
  Out.Errors = R->Arguments;
  std::string Text;
  llvm::raw_string_ostream(Text) << toJson(Out);
  if (Text.find('\n') != std::string::npos) // an answer is one line
    __builtin_trap();
  return 0;
}
