#include "frontend/unit.h"

#include "ast/consumer.h"
#include "frontend/diagnostics.h"
#include "frontend/reads.h"
#include "ir/library.h"

#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace whyhot::frontend {
namespace {

class EmitUnoptimised : public EmitLLVMOnlyAction {
public:
  EmitUnoptimised(llvm::LLVMContext *C, const Layers &Wanted, Unit &U) : EmitLLVMOnlyAction(C), Wanted(Wanted), U(U) {}

  bool BeginInvocation(CompilerInstance &CI) override {
    CodeGenOptions &CG = CI.getCodeGenOpts();
    CG.DisableLLVMPasses = true;
    CG.DiscardValueNames = false; // block names tell a vector body from its remainder
    if (CG.getDebugInfo() < llvm::codegenoptions::DebugLineTablesOnly)
      CG.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
    CG.DebugColumnInfo = true;
    if (CG.OptimizationLevel == 0) { // without optimisation clang writes no TBAA and optnone
      CG.OptimizationLevel = 2;
      CG.VectorizeLoop = CG.VectorizeSLP = CG.UnrollLoops = true;
    }
    return true;
  }

  // The AST layer comes first: the AST is still whole then.
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef File) override {
    std::unique_ptr<ASTConsumer> Emit = EmitLLVMOnlyAction::CreateASTConsumer(CI, File);
    if (!Wanted.Ast || !Emit)
      return Emit;
    std::vector<std::unique_ptr<ASTConsumer>> Both;
    Both.push_back(
        ast::makeConsumer(CI, *Wanted.Ast, U.Ast,
                          [Advice = std::make_shared<fix::Advisor>(CI, !CI.getCodeGenOpts().RelaxedAliasing)](
                              const ast::FunctionFacts &F, std::vector<ast::Hoist> &Out) { Advice->look(F, Out); }));
    Both.push_back(std::move(Emit));
    return std::make_unique<MultiplexConsumer>(std::move(Both));
  }

private:
  const Layers &Wanted;
  Unit &U;
};

class LookOnly : public ASTFrontendAction {
public:
  LookOnly(const ast::Options &O, Unit &U) : O(O), U(U) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override {
    return ast::makeConsumer(CI, O, U.Ast);
  }

private:
  const ast::Options &O;
  Unit &U;
};

class RewriteOnly : public ASTFrontendAction {
public:
  RewriteOnly(const fix::Request &R, Unit &U) : R(R), U(U) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override {
    return fix::makeConsumer(CI, R, !CI.getCodeGenOpts().RelaxedAliasing, U.Fix);
  }

private:
  const fix::Request &R;
  Unit &U;
};

llvm::OptimizationLevel levelOf(const CodeGenOptions &CG) {
  if (CG.OptimizeSize == 1)
    return llvm::OptimizationLevel::Os;
  if (CG.OptimizeSize == 2)
    return llvm::OptimizationLevel::Oz;
  switch (CG.OptimizationLevel) {
  case 1:
    return llvm::OptimizationLevel::O1;
  case 3:
    return llvm::OptimizationLevel::O3;
  default:
    return llvm::OptimizationLevel::O2;
  }
}

// What the passes may do rides on the module, so that every world and every
// copy of a part of it is optimised alike. Unrolling is in the loops' metadata
// already, size in the functions' attributes.
void noteTuning(llvm::Module &M, const CodeGenOptions &CG) {
  if (!CG.VectorizeLoop)
    M.addModuleFlag(llvm::Module::Override, "whyhot.no-vectorize", 1);
  if (!CG.VectorizeSLP)
    M.addModuleFlag(llvm::Module::Override, "whyhot.no-slp-vectorize", 1);
  if (!CG.UnrollLoops)
    M.addModuleFlag(llvm::Module::Override, "whyhot.no-interleave", 1);
}

class CompileOne : public tooling::ToolAction {
public:
  CompileOne(Unit &U, const Layers &Wanted, const std::vector<std::string> &Arguments, Complaints &Found)
      : U(U), Wanted(Wanted), Arguments(Arguments), Diagnostics(Found) {}

  bool runInvocation(std::shared_ptr<CompilerInvocation> Invocation, FileManager *Files,
                     std::shared_ptr<PCHContainerOperations> PCH, DiagnosticConsumer *) override {
    U.Unoptimised = Invocation->getCodeGenOpts().OptimizationLevel == 0;
    CompilerInstance CI(std::move(PCH));
    CI.setVerboseOutputStream(llvm::nulls()); // standard error is for the last words of a crash
    const Preambles::Files *Before = givePreamble(*Invocation, Files);
    CI.setInvocation(std::move(Invocation));
    CI.setFileManager(Files);
    CI.createDiagnostics(&Diagnostics, /*ShouldOwnClient=*/false);
    if (!CI.hasDiagnostics())
      return false;
    CI.createSourceManager(*Files);
    auto Read = std::make_shared<AllFiles>();
    CI.addDependencyCollector(Read);
    std::unique_ptr<FrontendAction> Look;
    if (Wanted.Fix)
      Look = std::make_unique<RewriteOnly>(*Wanted.Fix, U);
    else if (!Wanted.IR && Wanted.Ast)
      Look = std::make_unique<LookOnly>(*Wanted.Ast, U);
    EmitUnoptimised Emit(U.Context.get(), Wanted, U);
    const bool Ok = CI.ExecuteAction(Look ? *Look : Emit);
    if (!Diagnostics.Lacks.empty() && CI.hasPreprocessor())
      noteAbsent(CI.getPreprocessor().getHeaderSearchInfo());
    U.Dependencies.assign(Read->getDependencies().begin(), Read->getDependencies().end());
    if (Before) {
      llvm::erase(U.Dependencies, CI.getPreprocessorOpts().ImplicitPCHInclude); // the preamble itself
      U.Dependencies.insert(U.Dependencies.end(), Before->Read.begin(), Before->Read.end());
      Read->Library.insert(Before->Library.begin(), Before->Library.end());
    }
    U.StrictAliasing = !CI.getCodeGenOpts().RelaxedAliasing;
    if (!Ok || Look)
      return Ok;
    U.Module = Emit.takeModule();
    U.Level = levelOf(CI.getCodeGenOpts());
    if (!U.Module)
      return false;
    noteTuning(*U.Module, CI.getCodeGenOpts());
    ir::noteLibraryFiles(*U.Module, Read->Library);
    return makeTarget(CI);
  }

private:
  // Gives the files that the preamble has read, null where there is none. The file manager
  // then is one that knows the preamble, which lasts as long as this.
  const Preambles::Files *givePreamble(CompilerInvocation &Invocation, FileManager *&Files) {
    if (!Wanted.Kept || Wanted.Fix || (Wanted.Files && !Wanted.Files->empty()))
      return nullptr;
    Invocation.getFileSystemOpts() = Files->getFileSystemOpts();
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> VFS(&Files->getVirtualFileSystem());
    const std::string Line =
        Files->getFileSystemOpts().WorkingDir + '\0' + llvm::join(Arguments, std::string_view("\0", 1));
    const Preambles::Answer A = Wanted.Kept->give(Line, Invocation, VFS);
    U.Preamble = A.Is;
    if (A.Of)
      Files = (Own = new FileManager(Invocation.getFileSystemOpts(), VFS)).get();
    return A.Of;
  }

  void noteAbsent(const HeaderSearch &Search) {
    std::vector<std::string> Places;
    for (const DirectoryLookup &D : Search.search_dir_range())
      Places.push_back(D.getName().str());
    for (const Complaints::Lack &L : Diagnostics.Lacks) {
      auto add = [&](StringRef Place) {
        llvm::SmallString<128> Path(Place);
        llvm::sys::path::append(Path, L.Name);
        U.Absent.push_back(Path.str().str());
      };
      if (llvm::sys::path::is_absolute(L.Name)) {
        U.Absent.push_back(L.Name);
        continue;
      }
      add(L.From);
      for (StringRef Place : Places)
        add(Place);
    }
  }

  bool makeTarget(const CompilerInstance &CI) {
    std::string Error;
    const std::string &Triple = U.Module->getTargetTriple();
    const llvm::Target *T = llvm::TargetRegistry::lookupTarget(Triple, Error);
    if (!T) {
      U.Errors.push_back("this analyser was built without the target " + Triple + ": " + Error);
      return false;
    }
    const TargetOptions &TO = CI.getTargetOpts();
    std::string Features;
    for (const std::string &F : TO.Features)
      Features += (Features.empty() ? "" : ",") + F;
    U.Target.reset(T->createTargetMachine(Triple, TO.CPU, Features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                          std::nullopt, llvm::CodeGenOptLevel::Aggressive));
    return U.Target != nullptr;
  }

  Unit &U;
  const Layers &Wanted;
  const std::vector<std::string> &Arguments;
  Complaints &Diagnostics;
  llvm::IntrusiveRefCntPtr<FileManager> Own;
};

// The driver finds headers from where it stands: clang's place, whatever the
// command line calls the compiler. A target in the name is kept.
std::vector<std::string> asOurClang(std::vector<std::string> Arguments) {
  const std::string Name = llvm::sys::path::filename(Arguments[0]).str();
  tooling::addTargetAndModeForProgramName(Arguments, Name);
  Arguments[0] = std::string(WHYHOT_CLANG_DIR "/") + Name;
  Arguments.insert(Arguments.begin() + 1, {"-resource-dir", WHYHOT_RESOURCE_DIR});
  return Arguments;
}

// One try. Gives the target's values that stood in the way, none where another
// try is no use.
std::vector<std::string> tryOnce(Unit &U, const std::vector<std::string> &Arguments, FileManager &Files,
                                 const Layers &Wanted) {
  Complaints Found, OfDriver;
  CompileOne Action(U, Wanted, Arguments, Found);
  tooling::ToolInvocation Invocation(Arguments, &Action, &Files, std::make_shared<PCHContainerOperations>());
  Invocation.setDiagnosticConsumer(&OfDriver);
  const bool Ok = Invocation.run();
  U.Errors.insert(U.Errors.end(), Found.Errors.begin(), Found.Errors.end());
  if (!Ok && U.Errors.empty())
    U.Errors = OfDriver.Errors;
  else if (!OfDriver.Errors.empty())
    U.Notes = {"flags that clang does not take were left out: " + llvm::join(flagsIn(OfDriver.Errors), " ")};
  if (!Ok && U.Errors.empty())
    U.Errors.push_back("the compiler's front end gave up without a message");
  return Found.UnknownTargetValues;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem(const std::vector<File> *Files) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Real(llvm::vfs::createPhysicalFileSystem().release());
  if (!Files || Files->empty())
    return Real;
  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(Real));
  auto Given = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const File &F : *Files)
    Given->addFile(F.Path, 0, llvm::MemoryBuffer::getMemBufferCopy(F.Text, F.Path));
  Overlay->pushOverlay(std::move(Given));
  return Overlay;
}

} // namespace

Unit compile(const std::string &Directory, const std::vector<std::string> &Arguments, const Layers &Wanted) {
  Unit U;
  U.Context = std::make_unique<llvm::LLVMContext>();
  FileSystemOptions FSO;
  FSO.WorkingDir = Directory;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> VFS = fileSystem(Wanted.Files);
  if (std::error_code EC = VFS->setCurrentWorkingDirectory(Directory)) {
    U.Errors.push_back("cannot enter the build's directory " + Directory + ": " + EC.message());
    return U;
  }
  llvm::IntrusiveRefCntPtr<FileManager> Files(new FileManager(FSO, std::move(VFS)));
  std::vector<std::string> Line = asOurClang(Arguments), Dropped;
  // The front end names one such value at a time; each round loses a flag.
  for (;;) {
    const std::vector<std::string> Gone = dropFlagsOf(Line, tryOnce(U, Line, *Files, Wanted));
    if (Gone.empty())
      break;
    Dropped.insert(Dropped.end(), Gone.begin(), Gone.end());
    U.Errors.clear();
  }
  if (!Dropped.empty())
    U.Notes.push_back("clang 19 does not know the processor in " + llvm::join(Dropped, " ") +
                      ": the loops are those of the target's default processor");
  return U;
}

} // namespace whyhot::frontend
