#include "ir/reuse/fingerprint.h"

#include "ir/reuse/reader.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace whyhot::ir::reuse {

bool isTransparent(const GlobalValue &G) {
  auto *V = dyn_cast<GlobalVariable>(&G);
  return V && V->hasPrivateLinkage() && V->isConstant() && V->hasInitializer();
}

Fingerprints::Fingerprints(const Module &M) : M(M) { M.getMDKindNames(MetadataKinds); }

Fingerprint Fingerprints::of(const GlobalValue &G) {
  Fingerprint Out;
  Reader R(*this, Out);
  R.definition(G);
  Out.Own = R.hash();
  return Out;
}

Hash Fingerprints::ofModule() {
  Fingerprint Unused;
  Reader R(*this, Unused);
  R.add(M.getTargetTriple());
  R.add(M.getDataLayoutStr());
  R.add(M.getModuleInlineAsm());
  for (const NamedMDNode &N : M.named_metadata()) {
    if (N.getName().starts_with("llvm.dbg."))
      continue;
    R.add(N.getName());
    for (const MDNode *X : N.operands())
      R.add(static_cast<const Metadata *>(X));
  }
  return R.hash();
}

Hash Fingerprints::of(const Type &T) {
  if (const auto It = Types.find(&T); It != Types.end())
    return It->second;
  Fingerprint Unused;
  Reader R(*this, Unused);
  std::string Text;
  raw_string_ostream Stream(Text);
  T.print(Stream, /*IsForDebug=*/false, /*NoDetails=*/false);
  R.add(StringRef(Text));
  if (auto *S = dyn_cast<StructType>(&T))
    R.add(S->isPacked());
  for (const Type *Part : T.subtypes()) // no type contains itself: pointers are opaque
    R.add(Part);
  return Types[&T] = R.hash();
}

Hash Fingerprints::of(const AttributeList &A) {
  void *Key = A.getRawPointer();
  if (const auto It = Attributes.find(Key); It != Attributes.end())
    return It->second;
  Fingerprint Unused;
  Reader R(*this, Unused);
  for (const unsigned I : A.indexes()) {
    R.add(I);
    R.add(StringRef(A.getAsString(I)));
  }
  return Attributes[Key] = R.hash();
}

} // namespace whyhot::ir::reuse
