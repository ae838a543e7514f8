#include "machine/model.h"

#include "mca/throughput.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace whyhot::machine {
namespace {

using Way = std::vector<const Block *>;

// The ways through a loop from its header to a jump back, as a graph without circles.
class Ways {
public:
  Ways(const Loop &L, bool Longest) : L(L), Longest(Longest) {}

  // None where a jump goes back to another block than the header.
  Way find() {
    Way Out;
    if (!visit(L.getHeader()))
      return Out;
    for (const Block *B = L.getHeader(); B; B = Best[B].Next)
      Out.push_back(B);
    return Out;
  }

private:
  struct Rest {
    bool Done = false, Ends = false;
    size_t Instructions = 0;
    const Block *Next = nullptr; // null: back to the header
  };

  bool better(const Rest &Mine, size_t Instructions) const {
    return !Mine.Ends || (Longest ? Instructions > Mine.Instructions : Instructions < Mine.Instructions);
  }

  // Depth first, without recursion: functions of interpreters have thousands of blocks.
  bool visit(const Block *From) {
    std::vector<std::pair<const Block *, unsigned>> Stack{{From, 0}};
    DenseMap<const Block *, bool> Open;
    Open[From] = true;
    while (!Stack.empty()) {
      auto &[B, N] = Stack.back();
      const Block *Next = nullptr;
      while (N < B->Successors.size() && !Next) {
        const Block *S = B->Successors[N++];
        if (S == L.getHeader() || !L.contains(S) || Best[S].Done)
          continue;
        if (Open.lookup(S))
          return false;
        Next = S;
      }
      if (Next) {
        Open[Next] = true;
        Stack.push_back({Next, 0});
        continue;
      }
      finish(B);
      Open[B] = false;
      Stack.pop_back();
    }
    return Best[From].Ends;
  }

  void finish(const Block *B) {
    Rest Mine;
    for (const Block *S : B->Successors) {
      if (S == L.getHeader()) {
        if (better(Mine, 0))
          Mine = {false, true, 0, nullptr};
      } else if (L.contains(S) && Best[S].Ends && better(Mine, Best[S].Instructions)) {
        Mine = {false, true, Best[S].Instructions, S};
      }
    }
    Mine.Done = true;
    Mine.Instructions += B->End - B->First;
    Best[B] = Mine;
  }

  const Loop &L;
  const bool Longest;
  DenseMap<const Block *, Rest> Best;
};

// What is modelled of a way, false where something in it is no instruction.
bool codeOf(const Function &F, const Way &W, std::vector<MCInst> &Out, LeftOut &Left) {
  for (const Block *B : W)
    for (size_t N = B->First; N < B->End; ++N) {
      const Instruction &I = F.Code[N];
      if (I.Bad)
        return false;
      Left.Calls += I.Call;
      Left.Atomic += !I.Call && I.locked();
      Left.Strings += !I.Call && I.repeats();
      if (!I.Call && !I.repeats())
        Out.push_back(I.Inst);
    }
  return true;
}

} // namespace

std::map<std::string, Modelled> modelled(const Function &F, const Loop &L, const Target &T,
                                         const std::vector<std::string> &Processors, LeftOut &Left) {
  const Way Short = Ways(L, false).find(), Long = Ways(L, true).find();
  std::vector<MCInst> Fewest, Most;
  LeftOut OfShort;
  if (Short.empty() || Long.empty() || !codeOf(F, Short, Fewest, OfShort) || !codeOf(F, Long, Most, Left))
    return {};
  std::map<std::string, Modelled> Out;
  const auto Upper = mca::estimates(Most, *T.LLVM, T.Triple, Processors);
  const auto Lower = Short == Long ? Upper : mca::estimates(Fewest, *T.LLVM, T.Triple, Processors);
  for (const auto &[CPU, E] : Upper)
    if (auto It = Lower.find(CPU); It != Lower.end())
      Out[CPU] = {std::min(It->second.Cycles, E.Cycles), std::max(It->second.Cycles, E.Cycles), E.Limit};
  return Out;
}

} // namespace whyhot::machine
