// The record of optimisation that a compiler wrote in LLVM's bitstream.
#pragma once

#include <string>
#include <vector>

namespace whyhot::records {

// What a pass did not do, and why. What it did well is left out.
struct Record {
  bool Missed = false; // otherwise an analysis
  std::string Pass, Name, Function, Callee, Message;
  std::string File; // "" where the place is not known
  unsigned Line = 0, Column = 0;
};

struct Answer {
  std::string Error; // "" for none
  std::vector<Record> Records;
};

Answer read(const std::string &File);

} // namespace whyhot::records
