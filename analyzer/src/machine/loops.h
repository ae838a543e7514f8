// Natural loops of machine code, by LLVM's own algorithms on our blocks.
#pragma once

#include "machine/code.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GenericDomTree.h"
#include "llvm/Support/GenericLoopInfo.h"

namespace llvm {

template <> struct GraphTraits<whyhot::machine::Block *> {
  using NodeRef = whyhot::machine::Block *;
  using ChildIteratorType = SmallVectorImpl<whyhot::machine::Block *>::iterator;
  static NodeRef getEntryNode(NodeRef B) { return B; }
  static ChildIteratorType child_begin(NodeRef B) { return B->Successors.begin(); }
  static ChildIteratorType child_end(NodeRef B) { return B->Successors.end(); }
};

template <> struct GraphTraits<const whyhot::machine::Block *> {
  using NodeRef = const whyhot::machine::Block *;
  using ChildIteratorType = SmallVectorImpl<whyhot::machine::Block *>::const_iterator;
  static NodeRef getEntryNode(NodeRef B) { return B; }
  static ChildIteratorType child_begin(NodeRef B) { return B->Successors.begin(); }
  static ChildIteratorType child_end(NodeRef B) { return B->Successors.end(); }
};

template <> struct GraphTraits<Inverse<whyhot::machine::Block *>> {
  using NodeRef = whyhot::machine::Block *;
  using ChildIteratorType = SmallVectorImpl<whyhot::machine::Block *>::iterator;
  static NodeRef getEntryNode(Inverse<NodeRef> B) { return B.Graph; }
  static ChildIteratorType child_begin(NodeRef B) { return B->Predecessors.begin(); }
  static ChildIteratorType child_end(NodeRef B) { return B->Predecessors.end(); }
};

template <> struct GraphTraits<whyhot::machine::Function *> : GraphTraits<whyhot::machine::Block *> {
  static whyhot::machine::Block *pointer(const std::unique_ptr<whyhot::machine::Block> &B) { return B.get(); }
  using nodes_iterator =
      mapped_iterator<std::vector<std::unique_ptr<whyhot::machine::Block>>::iterator, decltype(&pointer)>;
  static NodeRef getEntryNode(whyhot::machine::Function *F) { return &F->front(); }
  static nodes_iterator nodes_begin(whyhot::machine::Function *F) { return {F->Blocks.begin(), &pointer}; }
  static nodes_iterator nodes_end(whyhot::machine::Function *F) { return {F->Blocks.end(), &pointer}; }
  static size_t size(whyhot::machine::Function *F) { return F->size(); }
};

// A tree of dominators: a node's children are what it is the last to dominate.
template <class NodeT, class IteratorT> struct DominatorNodes {
  using NodeRef = NodeT *;
  using ChildIteratorType = IteratorT;
  static NodeRef getEntryNode(NodeRef N) { return N; }
  static ChildIteratorType child_begin(NodeRef N) { return N->begin(); }
  static ChildIteratorType child_end(NodeRef N) { return N->end(); }
};
template <>
struct GraphTraits<DomTreeNodeBase<whyhot::machine::Block> *>
    : DominatorNodes<DomTreeNodeBase<whyhot::machine::Block>, DomTreeNodeBase<whyhot::machine::Block>::iterator> {};
template <>
struct GraphTraits<const DomTreeNodeBase<whyhot::machine::Block> *>
    : DominatorNodes<const DomTreeNodeBase<whyhot::machine::Block>,
                     DomTreeNodeBase<whyhot::machine::Block>::const_iterator> {};

} // namespace llvm

namespace whyhot::machine {

using Dominators = llvm::DominatorTreeBase<Block, false>;

// An instruction of a function.
struct Place {
  const Block *In;
  size_t At; // in the function
};

// What rules ask of a loop again and again. In a function of ten thousand instructions, most of
// the time was spent in listing these for each question.
struct LoopFacts {
  bool Listed = false;
  std::vector<Place> Everything, Own;       // by address: all, or without the loops in it
  llvm::DenseMap<unsigned, bool> Invariant; // registers that were asked for
};

class Loop : public llvm::LoopBase<Block, Loop> {
  friend class llvm::LoopInfoBase<Block, Loop>;
  friend class llvm::LoopBase<Block, Loop>;
  explicit Loop(Block *Header) : llvm::LoopBase<Block, Loop>(Header) {}

public:
  mutable LoopFacts Known; // filled as it is asked; the function stays as it is
};

// The loops of a function. The function must outlive them.
struct Loops {
  explicit Loops(Function &F);

  Dominators Tree;
  llvm::LoopInfoBase<Block, Loop> Info;
};

} // namespace whyhot::machine
