#include "ir/reuse/fingerprint.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <concepts>

using namespace llvm;

namespace whyhot::ir::reuse {

// Writes one definition down as bytes.
class Reader {
public:
  Reader(Fingerprints &Of, Fingerprint &Out) : Of(Of), Out(Out) {}

  Hash hash() const {
    const XXH128_hash_t H = xxh3_128bits(ArrayRef(reinterpret_cast<const uint8_t *>(Bytes.data()), Bytes.size()));
    return {H.low64, H.high64};
  }

  void add(std::integral auto N) {
    const auto Wide = static_cast<uint64_t>(N);
    Bytes.append(reinterpret_cast<const char *>(&Wide), sizeof(Wide));
  }
  void add(StringRef S) {
    add(S.size());
    Bytes += S;
  }
  void add(const Hash &H) {
    add(H.first);
    add(H.second);
  }
  void add(const Type *T) { add(Of.of(*T)); }
  void add(const APInt &N) {
    add(N.getBitWidth());
    for (unsigned I = 0; I < N.getNumWords(); ++I)
      add(N.getRawData()[I]);
  }
  void add(const Metadata *N);
  void add(const Value *V);

  void definition(const GlobalValue &G);

private:
  void constant(const Constant &C);
  void refer(const GlobalValue &G);
  void linkage(const GlobalValue &G);
  void object(const GlobalObject &G);
  void body(const Function &F);
  void instruction(const Instruction &I);
  void special(const Instruction &I);
  void attached(const SmallVectorImpl<std::pair<unsigned, MDNode *>> &List);
  void node(const MDNode &N);
  void location(const DILocation &D);
  void subprogram(const DISubprogram &S);
  void scope(const DILocalScope &S);
  void line(unsigned Line, const DIFile *File, const DISubprogram *In);

  Fingerprints &Of;
  Fingerprint &Out;
  std::string Bytes;
  DenseMap<const Value *, unsigned> Locals;
  DenseMap<const Metadata *, unsigned> Nodes;
  SmallPtrSet<const GlobalValue *, 8> Open; // transparent constants that are being read
};

bool isTransparent(const GlobalValue &G) {
  auto *V = dyn_cast<GlobalVariable>(&G);
  return V && V->hasPrivateLinkage() && V->isConstant() && V->hasInitializer();
}

void Reader::add(const Value *V) {
  if (!V) {
    add(0);
  } else if (auto *C = dyn_cast<Constant>(V)) {
    constant(*C);
  } else if (auto *N = dyn_cast<MetadataAsValue>(V)) {
    add(N->getMetadata());
  } else if (auto *A = dyn_cast<InlineAsm>(V)) {
    add(A->getAsmString());
    add(A->getConstraintString());
    add(A->hasSideEffects());
    add(A->isAlignStack());
    add(A->canThrow());
    add(static_cast<unsigned>(A->getDialect()));
  } else { // an argument, block or instruction, which may come later
    add(1);
    add(Locals.try_emplace(V, Locals.size()).first->second);
  }
}

void Reader::constant(const Constant &C) {
  add(C.getValueID());
  if (auto *G = dyn_cast<GlobalValue>(&C)) {
    refer(*G);
    return;
  }
  add(C.getType());
  if (auto *N = dyn_cast<ConstantInt>(&C)) {
    add(N->getValue());
  } else if (auto *N = dyn_cast<ConstantFP>(&C)) {
    add(N->getValueAPF().bitcastToAPInt());
  } else if (auto *D = dyn_cast<ConstantDataSequential>(&C)) {
    add(D->getRawDataValues());
  } else if (auto *B = dyn_cast<BlockAddress>(&C)) {
    add(B->getFunction());
    add(B->getBasicBlock()->getName());
  } else {
    if (auto *E = dyn_cast<ConstantExpr>(&C)) {
      add(E->getOpcode());
      add(E->getRawSubclassOptionalData());
      if (auto *G = dyn_cast<GEPOperator>(E)) {
        add(G->getSourceElementType());
        if (auto Range = G->getInRange()) {
          add(Range->getLower());
          add(Range->getUpper());
        }
      }
    }
    add(C.getNumOperands());
    for (const Use &U : C.operands())
      add(U.get());
  }
}

void Reader::refer(const GlobalValue &G) {
  if (isTransparent(G)) {
    if (!Open.insert(&G).second)
      return;
    auto &V = cast<GlobalVariable>(G);
    linkage(G);
    object(V);
    add(V.getInitializer());
    Open.erase(&G);
    return;
  }
  Out.Refers.insert(&G);
  add(G.getName());
  linkage(G);
  // What is declared alone is what its declaration says.
  if (auto *F = dyn_cast<Function>(&G); F && F->isDeclaration()) {
    add(Of.of(F->getAttributes()));
    add(F->getCallingConv());
  } else if (auto *V = dyn_cast<GlobalVariable>(&G); V && V->isDeclaration()) {
    object(*V);
    add(V->isConstant());
    add(V->isExternallyInitialized());
  }
}

void Reader::linkage(const GlobalValue &G) {
  add(G.getValueType());
  add(static_cast<unsigned>(G.getLinkage()));
  add(static_cast<unsigned>(G.getVisibility()));
  add(static_cast<unsigned>(G.getDLLStorageClass()));
  add(static_cast<unsigned>(G.getUnnamedAddr()));
  add(static_cast<unsigned>(G.getThreadLocalMode()));
  add(G.getAddressSpace());
  add(G.isDSOLocal());
}

void Reader::object(const GlobalObject &G) {
  add(G.getSection());
  add(G.getAlign().valueOrOne().value());
  if (const Comdat *C = G.getComdat()) {
    add(C->getName());
    add(static_cast<unsigned>(C->getSelectionKind()));
  }
}

void Reader::definition(const GlobalValue &G) {
  add(G.getName());
  add(G.getValueID());
  linkage(G);
  if (auto *A = dyn_cast<GlobalAlias>(&G)) {
    add(A->getAliasee());
    return;
  }
  if (auto *I = dyn_cast<GlobalIFunc>(&G)) {
    add(I->getResolver());
    return;
  }
  object(cast<GlobalObject>(G));
  SmallVector<std::pair<unsigned, MDNode *>, 4> List;
  cast<GlobalObject>(G).getAllMetadata(List);
  attached(List);
  if (auto *V = dyn_cast<GlobalVariable>(&G)) {
    add(V->isConstant());
    add(V->isExternallyInitialized());
    add(V->getAttributes().getAsString());
    if (V->hasInitializer())
      add(V->getInitializer());
    return;
  }
  body(cast<Function>(G));
}

void Reader::body(const Function &F) {
  add(F.getCallingConv());
  add(Of.of(F.getAttributes()));
  add(F.hasGC() ? StringRef(F.getGC()) : "");
  for (const Use &U : F.operands()) // personality, prefix, prologue
    add(U.get());
  for (const Argument &A : F.args())
    add(&A);
  for (const BasicBlock &BB : F) {
    add(BB.getName()); // tells what the block is of a loop
    add(static_cast<const Value *>(&BB));
    for (const Instruction &I : BB)
      if (!isa<DbgInfoIntrinsic>(I))
        instruction(I);
  }
}

void Reader::instruction(const Instruction &I) {
  add(I.getOpcode());
  add(static_cast<const Value *>(&I));
  add(I.getType());
  add(I.getRawSubclassOptionalData());
  add(I.getNumOperands());
  for (const Use &U : I.operands())
    add(U.get());
  special(I);
  SmallVector<std::pair<unsigned, MDNode *>, 4> List;
  I.getAllMetadataOtherThanDebugLoc(List);
  attached(List);
  if (const DILocation *D = I.getDebugLoc().get())
    location(*D);
}

// What an instruction has beside its operands.
void Reader::special(const Instruction &I) {
  if (auto *A = dyn_cast<AllocaInst>(&I)) {
    add(A->getAllocatedType());
    add(A->getAlign().value());
    add(A->isUsedWithInAlloca());
    add(A->isSwiftError());
  } else if (auto *L = dyn_cast<LoadInst>(&I)) {
    add(L->isVolatile());
    add(L->getAlign().value());
    add(static_cast<unsigned>(L->getOrdering()));
    add(L->getSyncScopeID());
  } else if (auto *S = dyn_cast<StoreInst>(&I)) {
    add(S->isVolatile());
    add(S->getAlign().value());
    add(static_cast<unsigned>(S->getOrdering()));
    add(S->getSyncScopeID());
  } else if (auto *C = dyn_cast<CmpInst>(&I)) {
    add(static_cast<unsigned>(C->getPredicate()));
  } else if (auto *C = dyn_cast<CallBase>(&I)) {
    add(C->getCallingConv());
    add(C->getFunctionType());
    add(Of.of(C->getAttributes()));
    if (auto *Call = dyn_cast<CallInst>(C))
      add(static_cast<unsigned>(Call->getTailCallKind()));
    for (unsigned N = 0; N < C->getNumOperandBundles(); ++N) {
      const OperandBundleUse B = C->getOperandBundleAt(N);
      add(B.getTagName());
      add(B.Inputs.size());
    }
    if (auto *Callee = dyn_cast<Function>(C->getCalledOperand()->stripPointerCastsAndAliases()))
      Out.Calls.insert(Callee);
  } else if (auto *V = dyn_cast<InsertValueInst>(&I)) {
    for (const unsigned N : V->indices())
      add(N);
  } else if (auto *V = dyn_cast<ExtractValueInst>(&I)) {
    for (const unsigned N : V->indices())
      add(N);
  } else if (auto *F = dyn_cast<FenceInst>(&I)) {
    add(static_cast<unsigned>(F->getOrdering()));
    add(F->getSyncScopeID());
  } else if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) {
    add(X->isVolatile());
    add(X->isWeak());
    add(X->getAlign().value());
    add(static_cast<unsigned>(X->getSuccessOrdering()));
    add(static_cast<unsigned>(X->getFailureOrdering()));
    add(X->getSyncScopeID());
  } else if (auto *W = dyn_cast<AtomicRMWInst>(&I)) {
    add(static_cast<unsigned>(W->getOperation()));
    add(W->isVolatile());
    add(W->getAlign().value());
    add(static_cast<unsigned>(W->getOrdering()));
    add(W->getSyncScopeID());
  } else if (auto *S = dyn_cast<ShuffleVectorInst>(&I)) {
    for (const int N : S->getShuffleMask())
      add(N);
  } else if (auto *G = dyn_cast<GetElementPtrInst>(&I)) {
    add(G->getSourceElementType());
  } else if (auto *P = dyn_cast<LandingPadInst>(&I)) {
    add(P->isCleanup());
  } else if (auto *P = dyn_cast<PHINode>(&I)) {
    for (const BasicBlock *From : P->blocks())
      add(static_cast<const Value *>(From));
  }
}

void Reader::attached(const SmallVectorImpl<std::pair<unsigned, MDNode *>> &List) {
  add(List.size());
  for (const auto &[Kind, N] : List) {
    add(Of.MetadataKinds[Kind]);
    add(static_cast<const Metadata *>(N));
  }
}

void Reader::add(const Metadata *N) {
  if (!N) {
    add(0);
    return;
  }
  add(N->getMetadataID());
  if (auto *S = dyn_cast<MDString>(N)) {
    add(S->getString());
  } else if (auto *V = dyn_cast<ValueAsMetadata>(N)) {
    add(V->getValue());
  } else if (auto *D = dyn_cast<MDNode>(N)) {
    const auto [It, New] = Nodes.try_emplace(D, Nodes.size());
    add(It->second);
    if (New)
      node(*D);
  }
}

void Reader::node(const MDNode &N) {
  if (auto *D = dyn_cast<DILocation>(&N)) {
    location(*D);
  } else if (auto *S = dyn_cast<DILocalScope>(&N)) {
    scope(*S);
  } else if (!isa<DINode>(N)) {
    add(N.isDistinct());
    add(N.getNumOperands());
    for (const MDOperand &X : N.operands())
      add(X.get());
  }
}

void Reader::location(const DILocation &D) {
  line(D.getLine(), D.getFile(), D.getScope()->getSubprogram());
  add(D.getColumn());
  add(D.isImplicitCode());
  add(static_cast<const Metadata *>(D.getScope()));
  add(static_cast<const Metadata *>(D.getInlinedAt()));
}

void Reader::scope(const DILocalScope &S) {
  if (auto *P = dyn_cast<DISubprogram>(&S)) {
    subprogram(*P);
    return;
  }
  if (auto *B = dyn_cast<DILexicalBlock>(&S)) {
    line(B->getLine(), B->getFile(), B->getSubprogram());
    add(B->getColumn());
  } else if (auto *B = dyn_cast<DILexicalBlockFile>(&S)) {
    add(B->getDiscriminator());
    add(B->getFilename());
  }
  add(static_cast<const Metadata *>(S.getScope()));
}

void Reader::subprogram(const DISubprogram &S) {
  add(S.getName());
  add(S.getLinkageName());
  add(S.getFilename());
  add(S.getDirectory());
  line(S.getScopeLine(), S.getFile(), &S);
  add(S.isOptimized());
}

void Reader::line(unsigned Line, const DIFile *File, const DISubprogram *In) {
  const bool Counts = In && Line != 0 && File == In->getFile();
  add(Counts);
  if (Counts) {
    add(static_cast<int64_t>(Line) - static_cast<int64_t>(In->getLine()));
    return;
  }
  add(Line);
  if (File)
    add(File->getFilename());
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
