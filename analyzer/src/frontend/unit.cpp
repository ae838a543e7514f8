#include "frontend/unit.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/Utils.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace whyhot::frontend {
namespace {

class EmitUnoptimised : public EmitLLVMOnlyAction {
public:
  explicit EmitUnoptimised(llvm::LLVMContext *C) : EmitLLVMOnlyAction(C) {}

  bool BeginInvocation(CompilerInstance &CI) override {
    CodeGenOptions &CG = CI.getCodeGenOpts();
    CG.DisableLLVMPasses = true;
    CG.DiscardValueNames = false; // block names tell a vector body from its remainder
    if (CG.getDebugInfo() == llvm::codegenoptions::NoDebugInfo)
      CG.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
    CG.DebugColumnInfo = true;
    if (CG.OptimizationLevel == 0) // without optimisation clang writes no TBAA and optnone
      CG.OptimizationLevel = 2;
    return true;
  }
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

class AllFiles : public DependencyCollector {
public:
  bool needSystemDependencies() override { return true; }
};

class CompileOne : public tooling::ToolAction {
public:
  explicit CompileOne(Unit &U) : U(U) {}

  bool runInvocation(std::shared_ptr<CompilerInvocation> Invocation, FileManager *Files,
                     std::shared_ptr<PCHContainerOperations> PCH, DiagnosticConsumer *) override {
    U.Unoptimised = Invocation->getCodeGenOpts().OptimizationLevel == 0;
    CompilerInstance CI(std::move(PCH));
    CI.setInvocation(std::move(Invocation));
    CI.setFileManager(Files);
    CI.createDiagnostics(&Diagnostics, /*ShouldOwnClient=*/false);
    if (!CI.hasDiagnostics())
      return false;
    CI.createSourceManager(*Files);
    auto Read = std::make_shared<AllFiles>();
    CI.addDependencyCollector(Read);
    EmitUnoptimised Action(U.Context.get());
    const bool Ok = CI.ExecuteAction(Action);
    report(CI.getSourceManager());
    U.Dependencies.assign(Read->getDependencies().begin(), Read->getDependencies().end());
    if (!Ok)
      return false;
    U.Module = Action.takeModule();
    U.Level = levelOf(CI.getCodeGenOpts());
    U.StrictAliasing = !CI.getCodeGenOpts().RelaxedAliasing;
    return U.Module && makeTarget(CI);
  }

private:
  void report(const SourceManager &SM) {
    for (auto It = Diagnostics.err_begin(); It != Diagnostics.err_end(); ++It)
      U.Errors.push_back(It->first.isValid() ? It->first.printToString(SM) + ": " + It->second : It->second);
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
  TextDiagnosticBuffer Diagnostics;
};

std::vector<std::string> withResourceDir(std::vector<std::string> Arguments) {
  Arguments.insert(Arguments.begin() + 1, {"-resource-dir", WHYHOT_RESOURCE_DIR});
  return Arguments;
}

} // namespace

Unit compile(const std::string &Directory, const std::vector<std::string> &Arguments) {
  Unit U;
  U.Context = std::make_unique<llvm::LLVMContext>();
  FileSystemOptions FSO;
  FSO.WorkingDir = Directory;
  auto VFS = llvm::vfs::createPhysicalFileSystem();
  if (std::error_code EC = VFS->setCurrentWorkingDirectory(Directory)) {
    U.Errors.push_back("cannot enter the directory " + Directory + ": " + EC.message());
    return U;
  }
  llvm::IntrusiveRefCntPtr<FileManager> Files(new FileManager(FSO, std::move(VFS)));
  CompileOne Action(U);
  tooling::ToolInvocation Invocation(withResourceDir(Arguments), &Action, Files.get(),
                                     std::make_shared<PCHContainerOperations>());
  TextDiagnosticBuffer DriverDiagnostics;
  Invocation.setDiagnosticConsumer(&DriverDiagnostics);
  if (!Invocation.run() && U.Errors.empty()) {
    for (auto It = DriverDiagnostics.err_begin(); It != DriverDiagnostics.err_end(); ++It)
      U.Errors.push_back(It->second);
    if (U.Errors.empty())
      U.Errors.push_back("the compiler's front end gave up without a message");
  }
  return U;
}

} // namespace whyhot::frontend
