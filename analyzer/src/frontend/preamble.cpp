#include "frontend/preamble.h"

#include "frontend/reads.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace whyhot::frontend {
namespace {

// Each has tens of megabytes; an editor saves few files alternately.
constexpr size_t MostKept = 4;

// A file that was written this shortly before it was read may be written again without
// another time: no preamble of it is kept.
constexpr std::chrono::seconds Settled{1};

class Listen : public PreambleCallbacks {
public:
  explicit Listen(std::shared_ptr<AllFiles> Read) : Read(std::move(Read)) {}
  void BeforeExecute(CompilerInstance &CI) override { CI.addDependencyCollector(Read); }

private:
  std::shared_ptr<AllFiles> Read;
};

// The source, where the invocation is one that a preamble changes nothing of.
std::string sourceOf(const CompilerInvocation &Invocation) {
  const FrontendOptions &F = Invocation.getFrontendOpts();
  const PreprocessorOptions &P = Invocation.getPreprocessorOpts();
  const LangOptions &L = Invocation.getLangOpts();
  if (F.Inputs.size() != 1 || !F.Inputs[0].isFile() || F.Inputs[0].isPreprocessed() ||
      F.Inputs[0].getKind().getFormat() != InputKind::Source || F.Inputs[0].getKind().getLanguage() == Language::Asm ||
      F.Inputs[0].getKind().getLanguage() == Language::LLVM_IR)
    return {};
  if (!P.ImplicitPCHInclude.empty() || !P.Includes.empty() || !P.MacroIncludes.empty() ||
      !P.RemappedFileBuffers.empty() || !P.RemappedFiles.empty() || L.Modules)
    return {};
  return F.Inputs[0].getFile().str();
}

} // namespace

bool Preambles::holds(const Entry &E, llvm::vfs::FileSystem &VFS) {
  return llvm::all_of(E.Stamps, [&](const Stamp &S) {
    const auto Now = VFS.status(S.Path);
    return Now && Now->getSize() == S.Size && Now->getLastModificationTime() == S.Time && Now->getUniqueID() == S.ID;
  });
}

bool Preambles::make(const std::string &CommandLine, const CompilerInvocation &Invocation,
                     const llvm::MemoryBuffer &Text, PreambleBounds Bounds,
                     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> VFS) {
  const auto Latest = std::chrono::system_clock::now() - Settled;
  const auto Read = std::make_shared<AllFiles>();
  Listen Callbacks(Read);
  IgnoringDiagConsumer Silent;
  CompilerInvocation Own(Invocation);
  auto Diagnostics = CompilerInstance::createDiagnostics(&Own.getDiagnosticOpts(), &Silent, /*ShouldOwnClient=*/false);
  auto Made =
      PrecompiledPreamble::Build(Own, &Text, Bounds, *Diagnostics, VFS, std::make_shared<PCHContainerOperations>(),
                                 /*StoreInMemory=*/true, /*StoragePath=*/"", Callbacks);
  if (!Made || Diagnostics->hasErrorOccurred())
    return false;
  Entry E{CommandLine, std::move(*Made), {}, {}};
  E.Of.Read.assign(Read->getDependencies().begin(), Read->getDependencies().end());
  E.Of.Library = Read->Library;
  for (const std::string &Path : E.Of.Read) {
    if (Path == Text.getBufferIdentifier())
      continue; // its text is compared
    const auto Now = VFS->status(Path);
    if (!Now || Now->getLastModificationTime() > Latest)
      return false;
    E.Stamps.push_back({Path, Now->getSize(), Now->getLastModificationTime(), Now->getUniqueID()});
  }
  Kept.push_front(std::move(E));
  if (Kept.size() > MostKept)
    Kept.pop_back();
  return true;
}

Preambles::Answer Preambles::give(const std::string &CommandLine, CompilerInvocation &Invocation,
                                  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> &VFS) {
  const std::string Source = sourceOf(Invocation);
  if (Source.empty())
    return {};
  auto Text = VFS->getBufferForFile(Source);
  if (!Text)
    return {};
  const PreambleBounds Bounds = ComputePreambleBounds(Invocation.getLangOpts(), **Text, /*MaxLines=*/0);
  if (Bounds.Size == 0)
    return {};
  const char *Is = "used";
  const auto It = llvm::find_if(Kept, [&](const Entry &E) { return E.CommandLine == CommandLine; });
  if (It != Kept.end() && holds(*It, *VFS) && It->Compiled.CanReuse(Invocation, **Text, Bounds, *VFS)) {
    Kept.splice(Kept.begin(), Kept, It);
  } else {
    if (It != Kept.end())
      Kept.erase(It);
    if (!make(CommandLine, Invocation, **Text, Bounds, VFS))
      return {};
    Is = "made";
  }
  const Entry &E = Kept.front();
  // The compile owns the text from here on.
  E.Compiled.AddImplicitPreamble(Invocation, VFS, Text->release());
  return {Is, &E.Of};
}

} // namespace whyhot::frontend
