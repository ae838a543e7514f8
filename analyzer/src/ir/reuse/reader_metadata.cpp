#include "ir/reuse/reader.h"

#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace whyhot::ir::reuse {

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

} // namespace whyhot::ir::reuse
