#include "mca/loop_assembly.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace llvm;

namespace whyhot::mca {
namespace {

// Names of blocks survive into the comments of verbose assembly.
constexpr char Mark[] = "whyhot.loop.";

std::vector<LoopName> markHeaders(Module &M, const std::set<LoopName> &Loops) {
  std::vector<LoopName> Marked;
  for (const LoopName &L : Loops)
    if (Function *F = M.getFunction(L.first))
      for (BasicBlock &BB : *F)
        if (BB.getName() == L.second) {
          BB.setName(Mark + std::to_string(Marked.size()));
          Marked.push_back(L);
          break;
        }
  return Marked;
}

void keepOnly(Module &M, const std::set<LoopName> &Loops) {
  std::set<std::string> Names;
  for (const LoopName &L : Loops)
    Names.insert(L.first);
  for (auto It = M.alias_begin(); It != M.alias_end();) { // an alias wants its body
    GlobalAlias &A = *It++;
    A.replaceAllUsesWith(A.getAliasee());
    A.eraseFromParent();
  }
  for (Function &F : M)
    if (!F.isDeclaration() && !Names.count(F.getName().str())) {
      F.deleteBody();
      F.setComdat(nullptr);
    }
}

struct Block {
  std::string Label;                // "BB0_3", "" for one that is only fallen into
  int Loop = -1;                    // index of its mark
  std::string Header;               // of the innermost loop around it
  std::vector<std::string> Parents; // the loops around that one, where this is a header
  std::string Code;
};

StringRef after(StringRef Line, StringRef What) {
  const size_t At = Line.find(What);
  return At == StringRef::npos ? StringRef() : Line.substr(At + What.size());
}

StringRef word(StringRef Text) {
  return Text.take_while([](char C) { return llvm::isAlnum(C) || C == '_'; });
}

// Reads what the printer's comments say of a block.
void readComment(Block &B, StringRef Line) {
  if (StringRef N = after(Line, std::string("%") + Mark); !N.empty())
    word(N).getAsInteger(10, B.Loop);
  if (StringRef H = after(Line, "in Loop: Header="); !H.empty())
    B.Header = word(H).str();
  else if (StringRef P = after(Line, "Parent Loop "); !P.empty())
    B.Parents.push_back(word(P).str());
  if (Line.contains("Loop Header: Depth=") && Line.contains("=>"))
    B.Header = B.Label;
}

std::vector<Block> blocksOf(StringRef Assembly, StringRef CommentMark) {
  std::vector<Block> Blocks;
  SmallVector<StringRef, 0> Lines;
  Assembly.split(Lines, '\n');
  for (StringRef Line : Lines) {
    const StringRef Text = Line.trim();
    const StringRef Code = Text.take_front(std::min(Text.size(), Text.find(CommentMark))).rtrim();
    const bool Label = Code.starts_with(".LBB") && Code.ends_with(":");
    if (Label || Text.starts_with((CommentMark + " %bb.").str()) || Code.starts_with(".Lfunc_end")) {
      Blocks.emplace_back();
      if (Label)
        Blocks.back().Label = Code.drop_front(2).drop_back().str();
    }
    if (Blocks.empty())
      continue;
    if (Code.size() < Text.size())
      readComment(Blocks.back(), Text);
    if (Label || (!Code.empty() && !Code.starts_with(".") && !Code.ends_with(":")))
      Blocks.back().Code += (Label ? Code.str() : "  " + Code.str()) + "\n";
  }
  return Blocks;
}

LoopCode codeOf(const std::vector<Block> &Blocks, const std::string &Header) {
  std::set<std::string> Inner;
  for (const Block &B : Blocks)
    if (is_contained(B.Parents, Header))
      Inner.insert(B.Label);
  LoopCode Out;
  for (const Block &B : Blocks) {
    if (B.Header == Header)
      Out.Own += B.Code;
    if (B.Header == Header || Inner.count(B.Header))
      Out.Nest += B.Code;
  }
  return Out;
}

} // namespace

std::map<LoopName, LoopCode> assemble(Module &M, TargetMachine &TM, const std::set<LoopName> &Loops) {
  keepOnly(M, Loops);
  StripDebugInfo(M);
  const std::vector<LoopName> Marked = markHeaders(M, Loops);
  TM.Options.MCOptions.AsmVerbose = true;
  SmallString<0> Text;
  raw_svector_ostream OS(Text);
  legacy::PassManager Passes;
  if (TM.addPassesToEmitFile(Passes, OS, nullptr, CodeGenFileType::AssemblyFile))
    return {};
  Passes.run(M);
  // One function after the other: labels are unique in the module.
  const std::vector<Block> Blocks = blocksOf(Text, TM.getMCAsmInfo()->getCommentString());
  std::map<LoopName, LoopCode> Out;
  for (const Block &B : Blocks)
    if (B.Loop >= 0 && size_t(B.Loop) < Marked.size() && !B.Label.empty() && B.Header == B.Label)
      Out[Marked[B.Loop]] = codeOf(Blocks, B.Label);
  return Out;
}

} // namespace whyhot::mca
