// A list that entries put themselves into, so that a new rule is a new file and nothing
// else. Each is an object at namespace scope:
//
//   const Registered<Rule> ColumnWalkRule("column-walk", {inFunction, nullptr});
//
// The same idiom as llvm::Registry, without its descriptions. Objects must be linked
// as objects: a static library would drop a file that nobody refers to.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace whyhot {

template <typename T> class Registered {
public:
  Registered(std::string_view Name, T Value) noexcept : Name(Name), Value(Value), Next(First) { First = this; }
  Registered(const Registered &) = delete;
  Registered &operator=(const Registered &) = delete;

  // All entries, by name: the order in which files are linked is nobody's business.
  static const std::vector<T> &all() {
    static const std::vector<T> All = [] {
      std::vector<const Registered *> Entries;
      for (const Registered *E = First; E; E = E->Next)
        Entries.push_back(E);
      std::sort(Entries.begin(), Entries.end(), [](const auto *A, const auto *B) { return A->Name < B->Name; });
      std::vector<T> Out;
      for (const Registered *E : Entries)
        Out.push_back(E->Value);
      return Out;
    }();
    return All;
  }

private:
  std::string_view Name;
  T Value;
  const Registered *Next;
  static inline const Registered *First = nullptr; // set before any entry is made
};

} // namespace whyhot
