#include "frontend/diagnostics.h"

#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;

namespace whyhot::frontend {
namespace {

constexpr size_t MaxMessage = 400; // a driver may quote whole command lines

// What to do about an error that says nothing of it by itself.
StringRef adviceFor(unsigned ID, StringRef Text) {
  switch (ID) {
  case diag::err_pp_file_not_found:
  case diag::err_pp_file_not_found_angled_include_not_fatal:
  case diag::err_pp_file_not_found_typo_not_fatal:
    return "; if the build generates this header, run the build first, else install the package that has it";
  case diag::err_fe_error_reading:
    return "; was it removed or renamed since compile_commands.json was written? Configure the build again";
  case diag::warn_builtin_unknown: // an error from C99 on
  case diag::err_undeclared_use:
  case diag::err_undeclared_use_suggest:
  case diag::err_undeclared_var_use:
  case diag::err_undeclared_var_use_suggest:
    return Text.contains("'__builtin_") ? "; clang 19 does not have this builtin of another compiler" : "";
  default:
    return "";
  }
}

} // namespace

void Complaints::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Level < DiagnosticsEngine::Error)
    return;
  if (llvm::is_contained({diag::err_target_unknown_cpu, diag::err_target_unknown_abi, diag::err_target_unknown_fpmath,
                          diag::err_target_unsupported_fpmath},
                         Info.getID()) &&
      Info.getNumArgs() > 0 && Info.getArgKind(0) == DiagnosticsEngine::ak_std_string)
    UnknownTargetValues.push_back(Info.getArgStdStr(0));
  noteLack(Info);
  llvm::SmallString<128> Text;
  if (Info.getID() == diag::err_fe_expected_compiler_job) // it quotes every job
    Text = "the command line compiles several files, or one for several architectures: give one for each";
  else
    Info.FormatDiagnostic(Text);
  std::string Advice = adviceFor(Info.getID(), Text).str();
  if (Text.size() > MaxMessage) {
    Text.resize(MaxMessage);
    Text += " …";
  }
  std::string Where;
  if (Info.getLocation().isValid() && Info.hasSourceManager())
    Where = Info.getLocation().printToString(Info.getSourceManager()) + ": ";
  Errors.push_back(llvm::json::fixUTF8(Where + Text.str().str() + Advice));
}

void Complaints::noteLack(const Diagnostic &Info) {
  const bool Source = Info.getID() == diag::err_fe_error_reading;
  const bool Header = llvm::is_contained({diag::err_pp_file_not_found, diag::err_pp_file_not_found_typo_not_fatal,
                                          diag::err_pp_file_not_found_angled_include_not_fatal},
                                         Info.getID());
  if ((!Source && !Header) || Info.getNumArgs() == 0)
    return;
  Lack L;
  if (Info.getArgKind(0) == DiagnosticsEngine::ak_std_string)
    L.Name = Info.getArgStdStr(0);
  else if (Info.getArgKind(0) == DiagnosticsEngine::ak_c_string)
    L.Name = Info.getArgCStr(0);
  if (Info.getLocation().isValid() && Info.hasSourceManager())
    L.From = llvm::sys::path::parent_path(Info.getSourceManager().getFilename(Info.getLocation())).str();
  Lacks.push_back(std::move(L));
}

std::vector<std::string> flagsIn(const std::vector<std::string> &DriverErrors) {
  std::vector<std::string> Out;
  for (StringRef Error : DriverErrors) {
    const size_t Open = Error.find("'-");
    StringRef Flag = Open == StringRef::npos ? Error : Error.drop_front(Open + 1).split('\'').first;
    if (!llvm::is_contained(Out, Flag))
      Out.push_back(Flag.str());
  }
  return Out;
}

std::vector<std::string> dropFlagsOf(std::vector<std::string> &Arguments, const std::vector<std::string> &Values) {
  std::vector<std::string> Dropped;
  llvm::erase_if(Arguments, [&](StringRef A) {
    const auto [Name, Value] = A.split('=');
    if (!Name.starts_with("-m") || !llvm::is_contained(Values, Value))
      return false;
    Dropped.push_back(A.str());
    return true;
  });
  return Dropped;
}

} // namespace whyhot::frontend
