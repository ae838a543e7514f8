// One ELF file: bytes at addresses, and names of what is called.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace whyhot::machine {

// A stub that jumps to a function that the loader finds.
struct Stub {
  std::string Name;
  bool Own = false; // the file itself defines the name
};

// The file is mapped; nothing is read before it is asked for.
class Image {
public:
  static llvm::Expected<std::unique_ptr<Image>> open(const std::string &Path);

  llvm::Triple triple() const;
  // The bytes from an address to the end of its section, none where there are none.
  llvm::ArrayRef<uint8_t> at(uint64_t Address) const;
  bool isCode(uint64_t Address) const;
  // A pointer in data, as the loader leaves it.
  std::optional<uint64_t> pointerAt(uint64_t Address);
  const Stub *stub(uint64_t Address);
  // A function that never returns, by its name: abort, __stack_chk_fail, …
  bool neverReturns(uint64_t Address);

private:
  struct Section {
    uint64_t Low, High;
    llvm::ArrayRef<uint8_t> Bytes;
    bool Code;
  };

  void readStubs();
  void readSymbols();
  void readRelocations();

  llvm::object::OwningBinary<llvm::object::ObjectFile> File;
  llvm::object::ELFObjectFileBase *ELF = nullptr;
  std::vector<Section> Sections; // sorted by address
  bool HasStubs = false, HasSymbols = false, HasRelocations = false;
  llvm::DenseMap<uint64_t, Stub> Stubs;
  llvm::DenseSet<uint64_t> Endless;
  llvm::DenseMap<uint64_t, uint64_t> Relative;
};

} // namespace whyhot::machine
