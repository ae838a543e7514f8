#include "ir/reuse/reader.h"

#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace whyhot::ir::reuse {

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

} // namespace whyhot::ir::reuse
