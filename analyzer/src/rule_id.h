// The id of a rule. The first lines of the pages in docs/rules have them all; the
// compiler refuses an id without a page.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace whyhot {

class RuleId {
public:
  // Not explicit: a rule writes its id where one is asked for.
  consteval RuleId(const char *Id) : Id(Id) { // NOLINT(google-explicit-constructor)
    constexpr std::string_view All[] = {
#include "rule_ids.inc"
    };
    if (std::find(std::begin(All), std::end(All), this->Id) == std::end(All))
      notInTheList();
  }
  // The id of a rule that the user wrote.
  static RuleId ofUser(llvm::StringRef Id) { return RuleId(Id); }

  llvm::StringRef str() const { return Id; }

private:
  explicit RuleId(llvm::StringRef Id) : Id(Id.data(), Id.size()) {}
  static void notInTheList(); // has no body: to call it is no constant expression

  std::string_view Id;
};

} // namespace whyhot
