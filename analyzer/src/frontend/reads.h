// What a run of the front end reads.
#pragma once

#include "clang/Frontend/Utils.h"

#include <set>
#include <string>

namespace whyhot::frontend {

class AllFiles : public clang::DependencyCollector {
public:
  bool needSystemDependencies() override { return true; }
  bool sawDependency(llvm::StringRef File, bool FromModule, bool IsSystem, bool IsModuleFile, bool IsMissing) override {
    if (IsSystem && !IsMissing)
      Library.insert(File.str());
    return !IsMissing && DependencyCollector::sawDependency(File, FromModule, IsSystem, IsModuleFile, IsMissing);
  }

  std::set<std::string> Library;
};

} // namespace whyhot::frontend
