#include "ir/edit.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

#include <map>
#include <set>

using namespace llvm;

namespace whyhot::ir {
namespace {

class LeafTags {
public:
  explicit LeafTags(Module &M) : Context(M.getContext()), Builder(Context) {}

  // A tag that names a fresh leaf below the node of the given tag.
  MDNode *below(MDNode *Tag) {
    MDNode *&Leaf = Leaves[Tag];
    if (!Leaf) {
      auto *Parent = Tag ? cast<MDNode>(Tag->getOperand(1)) : charNode();
      auto *Node = Builder.createTBAAScalarTypeNode("whyhot counterfactual", Parent);
      Leaf = Builder.createTBAAStructTagNode(Node, Node, 0);
    }
    return Leaf;
  }

private:
  MDNode *charNode() {
    return Builder.createTBAAScalarTypeNode("omnipotent char", Builder.createTBAARoot("Simple C++ TBAA"));
  }

  LLVMContext &Context;
  MDBuilder Builder;
  std::map<MDNode *, MDNode *> Leaves;
};

bool isCharTag(const Metadata *Op) {
  auto *Tag = dyn_cast_or_null<MDNode>(Op);
  if (!Tag || Tag->getNumOperands() < 3 || Tag->getOperand(0) != Tag->getOperand(1))
    return false;
  auto *Node = dyn_cast<MDNode>(Tag->getOperand(1));
  auto *Name = Node && Node->getNumOperands() ? dyn_cast<MDString>(Node->getOperand(0)) : nullptr;
  return Name && Name->getString() == "omnipotent char";
}

bool retypeStructCopy(Instruction &I, LeafTags &Tags) {
  MDNode *Fields = I.getMetadata(LLVMContext::MD_tbaa_struct);
  if (!Fields)
    return false;
  SmallVector<Metadata *, 8> Ops(Fields->op_begin(), Fields->op_end());
  bool Changed = false;
  for (unsigned Tag = 2; Tag < Ops.size(); Tag += 3) // offset, size, tag
    if (isCharTag(Ops[Tag])) {
      Ops[Tag] = Tags.below(cast<MDNode>(Ops[Tag]));
      Changed = true;
    }
  if (Changed)
    I.setMetadata(LLVMContext::MD_tbaa_struct, MDNode::get(I.getContext(), Ops));
  return Changed;
}

void addToList(Instruction &I, unsigned Kind, MDNode *Scope) {
  I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind), Scope));
}

bool dropVolatile(Instruction &I) {
  if (auto *L = dyn_cast<LoadInst>(&I))
    L->setVolatile(false);
  else
    cast<StoreInst>(I).setVolatile(false);
  return true;
}

} // namespace

unsigned retypeStores(Module &M, const Predicate &P, const SiteFilter &Only) {
  LeafTags Tags(M);
  unsigned Edits = 0;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (Only && !Only(I))
        continue;
      if (P.Qualifier) {
        Edits += P.Blames(I) && dropVolatile(I);
      } else if (P.Retypes(I)) {
        I.setMetadata(LLVMContext::MD_tbaa, Tags.below(I.getMetadata(LLVMContext::MD_tbaa)));
        ++Edits;
      } else if (P.Name == "char" && retypeStructCopy(I, Tags)) {
        ++Edits;
      }
    }
  return Edits;
}

bool hoistReloads(const LoopFacts &X, const SiteFilter &Only) {
  std::set<Instruction *> Stores;
  for (const Reload &R : X.Reloads)
    if (R.OnlyBlamed && R.Hoistable)
      for (Instruction *C : R.Clobbers)
        if (!Only || Only(*C))
          Stores.insert(C);
  for (const LocalReload &R : X.Locals)
    if (R.Hoistable && (!Only || Only(*R.Clobber)))
      Stores.insert(R.Clobber);
  if (Stores.empty())
    return false;
  LLVMContext &Context = X.L->getHeader()->getContext();
  MDBuilder Builder(Context);
  auto *Scope = MDNode::get(Context, {Builder.createAnonymousAliasScope(Builder.createAnonymousAliasScopeDomain())});
  for (Instruction *S : Stores)
    addToList(*S, LLVMContext::MD_alias_scope, Scope);
  // Only what would live in a local: everything else the loop reads may still
  // be what it writes.
  std::set<Instruction *> InLocals;
  for (const Reload &R : X.Reloads)
    if (R.OnlyBlamed && R.Hoistable) {
      InLocals.insert(R.Load);
      InLocals.insert(R.Updates.begin(), R.Updates.end());
    }
  for (Instruction *I : InLocals)
    if (!Stores.count(I))
      addToList(*I, LLVMContext::MD_noalias, Scope);
  for (const LocalReload &R : X.Locals)
    if (R.Hoistable)
      addToList(*R.Load, LLVMContext::MD_noalias, Scope);
  return true;
}

unsigned hoistReloads(Function &F, Pipeline &Analyses, const Predicate &P, const SiteFilter &Only) {
  if (F.isDeclaration())
    return 0;
  unsigned Edits = 0;
  for (const LoopFacts &X : Analyses.loops(F, P))
    Edits += hoistReloads(X, Only);
  return Edits;
}

} // namespace whyhot::ir
