// The leading #includes of a source, compiled once and kept for the next request: what
// an editor saves is nearly always what follows them.
//
// Which includes. Everything up to the first declaration of the source. It is kept in
// memory for the command line it was compiled by, and holds while its text and every
// file it read are as they were. A unit whose preamble has errors, that names a
// precompiled header, modules or -include, or that reads texts of the request, is
// compiled without one.
#pragma once

#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/PrecompiledPreamble.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem/UniqueID.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <list>
#include <set>
#include <string>
#include <vector>

namespace whyhot::frontend {

class Preambles {
public:
  // What a kept preamble read.
  struct Files {
    std::vector<std::string> Read;
    std::set<std::string> Library; // those of them that are a system's
  };
  struct Answer {
    const char *Is = "";       // "made" or "used", "" where the unit has none
    const Files *Of = nullptr; // null where the unit has none; valid until the next call
  };

  // Has the invocation start behind its preamble, which is compiled where none is kept.
  // The file system then has the preamble, too.
  Answer give(const std::string &CommandLine, clang::CompilerInvocation &Invocation,
              llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> &VFS);

private:
  struct Stamp {
    std::string Path;
    uint64_t Size;
    llvm::sys::TimePoint<> Time;
    llvm::sys::fs::UniqueID ID;
  };
  struct Entry {
    std::string CommandLine;
    clang::PrecompiledPreamble Compiled;
    Files Of;
    std::vector<Stamp> Stamps;
    std::vector<std::string> Lacking; // files that are not there
  };

  static bool holds(const Entry &E, llvm::vfs::FileSystem &VFS);
  bool make(const std::string &CommandLine, const clang::CompilerInvocation &Invocation, const llvm::MemoryBuffer &Text,
            clang::PreambleBounds Bounds, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> VFS);

  std::list<Entry> Kept; // the one that was used last is the first
};

} // namespace whyhot::frontend
