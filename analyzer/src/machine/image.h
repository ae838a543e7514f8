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

// Functions of C, C++ and Rust that end the program, throw or jump away.
bool endsHere(llvm::StringRef Name);

// A function by its symbol.
struct Named {
  std::string Name; // as the file has it
  uint64_t Low = 0, High = 0;
};

// The file is mapped; nothing is read before it is asked for. The sections of an
// object file that nobody linked get addresses one after the other, and what it
// imports gets stubs behind them.
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
  // The functions of a name: as the file has it, demangled, or demangled without its
  // arguments.
  std::vector<Named> functions(llvm::StringRef Name) const;

private:
  struct Section {
    uint64_t Low, High;
    llvm::ArrayRef<uint8_t> Bytes;
    bool Code;
  };

  void layOut();
  void relocate(const llvm::object::SectionRef &Changes, std::vector<uint8_t> &Bytes, uint64_t At) const;
  std::optional<uint64_t> addressOf(const llvm::object::ELFSymbolRef &S) const;
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
  // Of an object file that nobody linked.
  llvm::DenseMap<uint64_t, uint64_t> Placed;   // sections by number
  llvm::DenseMap<uint32_t, uint64_t> Imported; // symbols by number
  std::vector<std::unique_ptr<std::vector<uint8_t>>> Linked;
};

} // namespace whyhot::machine
