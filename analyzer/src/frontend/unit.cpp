#include "frontend/unit.h"

#include "ast/consumer.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
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
  EmitUnoptimised(llvm::LLVMContext *C, const Layers &Wanted, Unit &U)
      : EmitLLVMOnlyAction(C), Wanted(Wanted), U(U) {}

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

  // The AST layer comes first: the AST is still whole then.
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef File) override {
    std::unique_ptr<ASTConsumer> Emit = EmitLLVMOnlyAction::CreateASTConsumer(CI, File);
    if (!Wanted.Ast || !Emit)
      return Emit;
    std::vector<std::unique_ptr<ASTConsumer>> Both;
    Both.push_back(ast::makeConsumer(CI, *Wanted.Ast, U.Ast));
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
  CompileOne(Unit &U, const Layers &Wanted) : U(U), Wanted(Wanted) {}

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
    std::unique_ptr<FrontendAction> Look;
    if (!Wanted.IR && Wanted.Ast)
      Look = std::make_unique<LookOnly>(*Wanted.Ast, U);
    EmitUnoptimised Emit(U.Context.get(), Wanted, U);
    const bool Ok = CI.ExecuteAction(Look ? *Look : Emit);
    report(CI.getSourceManager());
    U.Dependencies.assign(Read->getDependencies().begin(), Read->getDependencies().end());
    U.StrictAliasing = !CI.getCodeGenOpts().RelaxedAliasing;
    if (!Ok || Look)
      return Ok;
    U.Module = Emit.takeModule();
    U.Level = levelOf(CI.getCodeGenOpts());
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
  const Layers &Wanted;
  TextDiagnosticBuffer Diagnostics;
};

std::vector<std::string> withResourceDir(std::vector<std::string> Arguments) {
  Arguments.insert(Arguments.begin() + 1, {"-resource-dir", WHYHOT_RESOURCE_DIR});
  return Arguments;
}

} // namespace

Unit compile(const std::string &Directory, const std::vector<std::string> &Arguments, const Layers &Wanted) {
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
  CompileOne Action(U, Wanted);
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
