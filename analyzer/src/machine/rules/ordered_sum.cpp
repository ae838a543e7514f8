// A sum of floating-point numbers whose products are computed in vectors and then added one
// after the other, as gcc does where the order is kept: two or more scalar additions, each
// of which takes the result of the one before, and the first that of the last.
// Example: mulps %xmm3,%xmm0; addss %xmm0,%xmm1; shufps …,%xmm2; addss %xmm1,%xmm2; …
//
// Or a sum that is stored in each iteration, to the same place: what is added up could be
// that place, as far as the compiler knows, so nothing is computed in vectors at all.
// Example: mulsd (%rsi,%rax,8),%xmm0; addsd %xmm0,%xmm1; movsd %xmm1,(%rdx)
#include "machine/rules/facts.h"

using namespace llvm;

namespace whyhot::machine::rules {
namespace {

StringRef plain(StringRef Name) {
  Name.consume_front("V");
  return Name;
}

bool addsOne(const Instruction &I) { return plain(I.Name).starts_with("ADDSS") || plain(I.Name).starts_with("ADDSD"); }

bool isCopy(const Instruction &I) {
  const StringRef Name = plain(I.Name);
  return !I.At && (Name == "MOVAPSrr" || Name == "MOVAPDrr" || Name == "MOVSSrr" || Name == "MOVSDrr");
}

class Sums {
public:
  explicit Sums(const Subject &S) : Values(S) {}

  // How many additions the chain has that comes back to one; 0 for none.
  unsigned around(size_t Addition) const {
    size_t At = Addition;
    for (unsigned Length = 1; Length <= Values.code().size(); ++Length) {
      const auto Before = takes(At);
      if (!Before)
        return 0;
      if (*Before == Addition)
        return Length;
      At = *Before;
    }
    return 0;
  }

private:
  // The addition whose result another one takes, as it is or as a copy of it.
  std::optional<size_t> takes(size_t Addition) const {
    for (size_t Source : Values.sources(Addition)) {
      for (unsigned Copies = 0; isCopy(Values.at(Source)) && Copies < Values.code().size(); ++Copies) {
        const auto From = Values.sources(Source);
        if (From.size() != 1)
          break;
        Source = From.front();
      }
      if (addsOne(Values.at(Source)))
        return Source;
    }
    return std::nullopt;
  }

  Flow Values;
};

bool storesOne(const Instruction &I) {
  const StringRef Name = plain(I.Name);
  return I.stores() && (Name == "MOVSSmr" || Name == "MOVSDmr");
}

void orderedSum(const Subject &S, std::vector<Match> &Out) {
  if (!S.In.isInnermost() || S.In.getNumBlocks() != 1 || hasCall(S))
    return;
  const std::vector<Place> &All = own(S);
  const Instruction *Wide = nullptr, *Kept = nullptr, *Read = nullptr;
  for (const Place &P : All) {
    const Instruction &I = S.F.Code[P.At];
    if (storesOne(I) && !Kept && isFixed(S, I)) {
      Kept = &I;
      continue;
    }
    if (I.Bad || (I.stores() && !(I.At && isStack(S, *I.At))))
      return;
    if (I.loads() && I.At && !isFixed(S, I))
      Read = &I;
    if (I.loads() && I.At && I.At->Bytes >= 16 && !isStack(S, *I.At))
      Wide = &I;
  }
  const Instruction *Loaded = Kept ? Read : Wide;
  if (!Loaded)
    return;
  std::map<std::string, std::string> Facts{{"bytes", std::to_string(Loaded->At->Bytes)}};
  if (Kept)
    Facts["store"] = addressText(S, *Kept->At);
  const unsigned Least = Kept ? 1 : 2; // additions in the chain
  const Sums Of(S);
  for (size_t N = 0; N < All.size(); ++N)
    if (addsOne(S.F.Code[All[N].At]) && Of.around(N) >= Least)
      return add(Out, "machine-float-sum", S.F.Code[All[N].At], std::move(Facts));
}

const Registered<Rule> OrderedSumRule("ordered-sum", orderedSum);

} // namespace
} // namespace whyhot::machine::rules
