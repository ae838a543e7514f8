#include "fix/library.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace whyhot::fix {

bool isStd(const Decl *D) {
  for (const DeclContext *DC = D ? D->getDeclContext() : nullptr; DC; DC = DC->getParent())
    if (DC->isStdNamespace())
      return true;
  return false;
}

const CXXRecordDecl *stdClass(QualType T) {
  const CXXRecordDecl *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->isInStdNamespace() && R->getIdentifier() ? R : nullptr;
}

bool isPlainLibraryCall(const FunctionDecl *F) {
  if (!F->getIdentifier() || !F->isExternC())
    return false;
  StringRef N = F->getName();
  if (N.contains("jmp") || N.starts_with("pthread_") || N.contains("fork") || N.contains("atomic"))
    return false;
  if (F->getBuiltinID())
    return true;
  return llvm::StringSwitch<bool>(N)
      .Cases("getc", "fgetc", "putc", "fputc", "fputs", "getchar", "putchar", "puts", "ungetc", true)
      .Cases("fread", "fwrite", "read", "write", "fgets", "fflush", "feof", "ferror", true)
      .Cases("strtol", "strtoul", "strtod", "strtoll", "strtoull", "atoi", "atol", "getenv", "time", true)
      .Cases("fprintf", "printf", "snprintf", "sprintf", "vsnprintf", "vsprintf", "sscanf", "abort", true)
      .Cases("__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "__errno_location", true)
      .Default(false);
}

bool synchronises(const Expr *E) {
  if (!E)
    return false;
  if (isa<AtomicExpr>(E))
    return true;
  const FunctionDecl *F = nullptr;
  if (const auto *Call = dyn_cast<CallExpr>(E))
    F = Call->getDirectCallee();
  else if (const auto *CC = dyn_cast<CXXConstructExpr>(E))
    F = CC->getConstructor();
  if (!F)
    return false;
  if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && isStd(M) && M->getParent()->getIdentifier()) {
    StringRef Class = M->getParent()->getName();
    return Class.contains("mutex") || Class.contains("lock") || Class.contains("atomic") || Class.contains("thread") ||
           Class.contains("condition_variable") || Class.contains("semaphore") || Class.contains("future") ||
           Class.contains("promise") || Class.contains("latch") || Class.contains("barrier");
  }
  if (!F->getIdentifier())
    return false;
  StringRef N = F->getName();
  for (StringRef Prefix :
       {"pthread_", "__gthread", "sem_", "mtx_", "cnd_", "thrd_", "atomic_", "__atomic", "__sync", "sched_", "epoll_"})
    if (N.starts_with(Prefix))
      return true;
  return llvm::StringSwitch<bool>(N)
      .Cases("sleep", "usleep", "nanosleep", "poll", "select", "wait", "waitpid", "fork", "vfork", "syscall", true)
      .Default(false);
}

bool runsForeignCode(QualType T) {
  T = T.getNonReferenceType();
  if (T->isFunctionPointerType() || T->isFunctionType() || T->isMemberFunctionPointerType())
    return true;
  const auto *R = T->getAsCXXRecordDecl();
  return isStd(R) && R->getIdentifier() &&
         llvm::StringSwitch<bool>(R->getName())
             .Cases("function", "move_only_function", "packaged_task", "reference_wrapper", true)
             .Default(false);
}

} // namespace whyhot::fix
