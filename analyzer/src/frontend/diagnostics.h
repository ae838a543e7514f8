// What the front end complains of, as text that says what to do, and which
// flags of the command line it did not take.
#pragma once

#include "clang/Basic/Diagnostic.h"

#include <string>
#include <vector>

namespace whyhot::frontend {

class Complaints : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) override;

  std::vector<std::string> Errors;
  // A processor, ABI or floating-point unit that the target does not know: the
  // value of some -m flag.
  std::vector<std::string> UnknownTargetValues;
  // Headers and sources that were not found, as they were asked for, and the
  // directory of the file that asked.
  struct Lack {
    std::string Name;
    std::string From;
  };
  std::vector<Lack> Lacks;

private:
  void noteLack(const clang::Diagnostic &Info);
};

// The flags that a driver's errors are about, as the command line has them; the
// error itself where it quotes none.
std::vector<std::string> flagsIn(const std::vector<std::string> &DriverErrors);

// Takes the flags with these values off the command line; gives what was taken.
std::vector<std::string> dropFlagsOf(std::vector<std::string> &Arguments, const std::vector<std::string> &Values);

} // namespace whyhot::frontend
