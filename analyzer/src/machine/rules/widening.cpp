// Loops that compute in double what they read and keep as float: cvtss2sd on the way in
// and cvtsd2ss on the way out, of one element or of a vector. Example in C: x[i] * 0.5.
#include "machine/rules/facts.h"

namespace whyhot::machine::rules {
namespace {

// Arithmetic in double, of one number or of a vector. Fused operations say at the end what
// they are about: FMADD213SDr, FNMSUB231PDm.
bool computesInDouble(llvm::StringRef Name) {
  if (Name.starts_with("FM") || Name.starts_with("FNM"))
    return Name.contains("SD") || Name.contains("PD");
  for (llvm::StringRef Of : {"MUL", "ADD", "SUB", "DIV", "SQRT"})
    if (Name.consume_front(Of))
      return Name.starts_with("SD") || Name.starts_with("PD");
  return false;
}

void widening(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost())
    return;
  const Instruction *Back = nullptr;
  bool Wider = false, Double = false;
  for (const Place &P : own(S)) {
    const Instruction &I = S.F.Code[P.At];
    if (I.Bad)
      continue;
    const llvm::StringRef Name = plainName(I);
    Wider |= Name.starts_with("CVTSS2SD") || Name.starts_with("CVTPS2PD");
    // Something is computed between: otherwise the type of a parameter or of a field is kept.
    Double |= computesInDouble(Name);
    if (!Back && (Name.starts_with("CVTSD2SS") || Name.starts_with("CVTPD2PS")))
      Back = &I;
  }
  if (Wider && Back && Double)
    add(Out, "machine-widening", *Back);
}

const Registered<Rule> WideningRule("widening", widening);

} // namespace
} // namespace whyhot::machine::rules
