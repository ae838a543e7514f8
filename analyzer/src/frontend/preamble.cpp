#include "frontend/preamble.h"

#include "frontend/reads.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace whyhot::frontend {
namespace {

// Each has tens of megabytes; an editor saves few files alternately.
constexpr size_t MostKept = 4;

// A file that was written this shortly before it was read may be written again without
// another time: no preamble of it is kept.
constexpr std::chrono::seconds Settled{1};

// Where the files would be whose absence __has_include found. Those that an #include
// lacks, Clang watches itself.
class Lacks : public PPCallbacks {
public:
  Lacks(const Preprocessor &PP, std::vector<std::string> &Out) : PP(PP), Out(Out) {}

  void HasInclude(SourceLocation At, StringRef Name, bool IsAngled, OptionalFileEntryRef File,
                  SrcMgr::CharacteristicKind) override {
    if (File)
      return;
    if (llvm::sys::path::is_absolute(Name)) {
      Out.push_back(Name.str());
      return;
    }
    if (!IsAngled)
      add(llvm::sys::path::parent_path(PP.getSourceManager().getFilename(At)), Name);
    for (const DirectoryLookup &D : PP.getHeaderSearchInfo().search_dir_range())
      add(D.getName(), Name);
  }

private:
  void add(StringRef Directory, StringRef Name) {
    llvm::SmallString<128> Path(Directory);
    llvm::sys::path::append(Path, Name);
    Out.push_back(Path.str().str());
  }

  const Preprocessor &PP;
  std::vector<std::string> &Out;
};

class Listen : public PreambleCallbacks {
public:
  Listen(AllFiles &Read, std::vector<std::string> &Lacking) : Read(Read), Lacking(Lacking) {}
  // The preprocessor exists, and has read nothing.
  void BeforeExecute(CompilerInstance &CI) override {
    Read.attachToPreprocessor(CI.getPreprocessor());
    PP = &CI.getPreprocessor();
  }
  std::unique_ptr<PPCallbacks> createPPCallbacks() override { return std::make_unique<Lacks>(*PP, Lacking); }

private:
  AllFiles &Read;
  std::vector<std::string> &Lacking;
  const Preprocessor *PP = nullptr;
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
  if (llvm::any_of(E.Lacking, [&](const std::string &Path) { return VFS.exists(Path); }))
    return false;
  return llvm::all_of(E.Stamps, [&](const Stamp &S) {
    const auto Now = VFS.status(S.Path);
    return Now && Now->getSize() == S.Size && Now->getLastModificationTime() == S.Time && Now->getUniqueID() == S.ID;
  });
}

bool Preambles::make(const std::string &CommandLine, const CompilerInvocation &Invocation,
                     const llvm::MemoryBuffer &Text, PreambleBounds Bounds,
                     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> VFS) {
  const auto Latest = std::chrono::system_clock::now() - Settled;
  AllFiles Read;
  std::vector<std::string> Lacking;
  Listen Callbacks(Read, Lacking);
  IgnoringDiagConsumer Silent;
  CompilerInvocation Own(Invocation);
  auto Diagnostics = CompilerInstance::createDiagnostics(&Own.getDiagnosticOpts(), &Silent, /*ShouldOwnClient=*/false);
  auto Made =
      PrecompiledPreamble::Build(Own, &Text, Bounds, *Diagnostics, VFS, std::make_shared<PCHContainerOperations>(),
                                 /*StoreInMemory=*/true, /*StoragePath=*/"", Callbacks);
  if (!Made || Diagnostics->hasErrorOccurred())
    return false;
  // __has_include_next looks behind the directory of who asks.
  llvm::erase_if(Lacking, [&](const std::string &Path) { return VFS->exists(Path); });
  Entry E{CommandLine, std::move(*Made), {}, {}, std::move(Lacking)};
  E.Of.Read.assign(Read.getDependencies().begin(), Read.getDependencies().end());
  E.Of.Library = Read.Library;
  for (const std::string &Path : E.Of.Read) {
    if (Path == Invocation.getFrontendOpts().Inputs[0].getFile())
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
