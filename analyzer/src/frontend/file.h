// Text that stands in for a file, or for one that is not there.
#pragma once

#include <string>

namespace whyhot::frontend {

struct File {
  std::string Path; // absolute
  std::string Text;
};

} // namespace whyhot::frontend
