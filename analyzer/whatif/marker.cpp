#include "marker.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/Endian.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <set>

using namespace llvm;

namespace whyhot::whatif {
namespace {

constexpr char Variable[] = "__whyhot_counterfactual";
constexpr unsigned Alignment = 4;

std::string describe(const Plan &P) {
  std::set<std::string> Findings;
  for (const Edit &E : P.Edits)
    Findings.insert(E.Finding);
  return std::string(P.Placebo ? "placebo" : "what-if") + " " + join(Findings, ",");
}

void pad(std::string &Bytes) { Bytes.resize(alignTo(Bytes.size(), Alignment)); }

std::string note(const Plan &P, endianness Order) {
  const std::string Description = describe(P);
  std::string Out;
  auto word = [&](uint32_t V) {
    char Bytes[sizeof V];
    support::endian::write32(Bytes, V, Order);
    Out.append(Bytes, sizeof Bytes);
  };
  word(sizeof NoteOwner);
  word(Description.size() + 1);
  word(NoteType);
  Out.append(NoteOwner, sizeof NoteOwner);
  pad(Out);
  Out.append(Description.c_str(), Description.size() + 1);
  pad(Out);
  return Out;
}

} // namespace

bool isMarked(const Module &M) { return M.getNamedGlobal(Variable) != nullptr; }

void mark(Module &M, const Plan &P) {
  const endianness Order = M.getDataLayout().isLittleEndian() ? endianness::little : endianness::big;
  Constant *Bytes = ConstantDataArray::getString(M.getContext(), note(P, Order), /*AddNull=*/false);
  auto *G = new GlobalVariable(M, Bytes->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, Bytes, Variable);
  G->setSection(".note.whyhot");
  G->setAlignment(Align(Alignment));
  appendToUsed(M, {G}); // neither the optimiser nor --gc-sections drops it
}

} // namespace whyhot::whatif
