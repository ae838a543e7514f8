// Writes a definition of unoptimised IR down as bytes, of which the fingerprint is made.
#pragma once

#include "ir/reuse/fingerprint.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/xxhash.h"

#include <concepts>
#include <string>

namespace whyhot::ir::reuse {

class Reader {
public:
  Reader(Fingerprints &Of, Fingerprint &Out) : Of(Of), Out(Out) {}

  Hash hash() const {
    const llvm::XXH128_hash_t H =
        llvm::xxh3_128bits(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(Bytes.data()), Bytes.size()));
    return {H.low64, H.high64};
  }

  void add(std::integral auto N) {
    const auto Wide = static_cast<uint64_t>(N);
    Bytes.append(reinterpret_cast<const char *>(&Wide), sizeof(Wide));
  }
  void add(llvm::StringRef S) {
    add(S.size());
    Bytes += S;
  }
  void add(const Hash &H) {
    add(H.first);
    add(H.second);
  }
  void add(const llvm::Type *T) { add(Of.of(*T)); }
  void add(const llvm::APInt &N) {
    add(N.getBitWidth());
    for (unsigned I = 0; I < N.getNumWords(); ++I)
      add(N.getRawData()[I]);
  }
  void add(const llvm::Metadata *N);
  void add(const llvm::Value *V);

  void definition(const llvm::GlobalValue &G);

private:
  void constant(const llvm::Constant &C);
  void refer(const llvm::GlobalValue &G);
  void linkage(const llvm::GlobalValue &G);
  void object(const llvm::GlobalObject &G);
  void body(const llvm::Function &F);
  void instruction(const llvm::Instruction &I);
  void special(const llvm::Instruction &I);
  void attached(const llvm::SmallVectorImpl<std::pair<unsigned, llvm::MDNode *>> &List);
  void node(const llvm::MDNode &N);
  void location(const llvm::DILocation &D);
  void subprogram(const llvm::DISubprogram &S);
  void scope(const llvm::DILocalScope &S);
  void line(unsigned Line, const llvm::DIFile *File, const llvm::DISubprogram *In);

  Fingerprints &Of;
  Fingerprint &Out;
  std::string Bytes;
  llvm::DenseMap<const llvm::Value *, unsigned> Locals;
  llvm::DenseMap<const llvm::Metadata *, unsigned> Nodes;
  llvm::SmallPtrSet<const llvm::GlobalValue *, 8> Open; // transparent constants that are being read
};

} // namespace whyhot::ir::reuse
