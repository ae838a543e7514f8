// Object files that nobody linked: sections get addresses, and what one section says of
// another is filled in, as a linker does. Without that, code cannot be followed through
// a table of jumps, and nothing tells what is called.
#include "machine/image.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::object;

namespace whyhot::machine {
namespace {

constexpr uint64_t First = 0x1000; // nothing is at 0
constexpr uint64_t Apart = 64;

uint32_t numberOf(const SymbolRef &S) { return S.getRawDataRefImpl().d.b; }

template <typename T> std::optional<T> valueOf(Expected<T> V) {
  if (V)
    return *V;
  consumeError(V.takeError());
  return std::nullopt;
}

} // namespace

std::optional<uint64_t> Image::addressOf(const ELFSymbolRef &S) const {
  const auto Flags = valueOf(S.getFlags());
  if (!Flags || (*Flags & SymbolRef::SF_Undefined))
    return std::nullopt;
  if (!ELF->isRelocatableObject())
    return valueOf(S.getAddress());
  const auto In = valueOf(S.getSection());
  const auto Value = valueOf(S.getValue());
  if (!In || !Value || *In == ELF->section_end())
    return std::nullopt;
  auto At = Placed.find((*In)->getIndex());
  return At == Placed.end() ? std::nullopt : std::optional<uint64_t>(At->second + *Value);
}

void Image::layOut() {
  HasStubs = HasSymbols = HasRelocations = true;
  uint64_t At = First;
  for (const SectionRef &S : ELF->sections())
    if (ELFSectionRef(S).getFlags() & ELF::SHF_ALLOC) {
      At = alignTo(At, std::max<uint64_t>(S.getAlignment().value(), Apart));
      Placed[S.getIndex()] = At;
      At += S.getSize();
    }
  At = alignTo(At, Apart);
  for (const ELFSymbolRef &S : ELF->symbols()) {
    const auto Name = valueOf(S.getName());
    const auto Flags = valueOf(S.getFlags());
    if (!Name || !Flags)
      continue;
    if (*Flags & SymbolRef::SF_Undefined) {
      Imported[numberOf(S)] = At;
      Stubs[At] = {Name->str(), false};
      At += Apart;
    } else if (const auto Here = addressOf(S); Here && endsHere(*Name)) {
      Endless.insert(*Here);
    }
  }
  for (const SectionRef &S : ELF->sections()) {
    auto To = Placed.find(S.getIndex());
    if (To == Placed.end() || S.isBSS() || S.getSize() == 0)
      continue;
    const auto Text = valueOf(S.getContents());
    if (!Text || Text->size() < S.getSize())
      continue;
    Linked.push_back(std::make_unique<std::vector<uint8_t>>(Text->begin(), Text->end()));
    relocate(S, *Linked.back(), To->second);
    Sections.push_back({To->second, To->second + S.getSize(), *Linked.back(), S.isText()});
  }
  sort(Sections, [](const Section &A, const Section &B) { return A.Low < B.Low; });
}

// Fills in what the relocations of a section say. Only those of x86-64 that name a
// place by its distance or address; others leave what the assembler wrote.
void Image::relocate(const SectionRef &Changes, std::vector<uint8_t> &Bytes, uint64_t At) const {
  if (ELF->getEMachine() != ELF::EM_X86_64)
    return;
  for (const SectionRef &Table : ELF->sections()) {
    const auto Of = valueOf(Table.getRelocatedSection());
    if (!Of || *Of == ELF->section_end() || (*Of)->getIndex() != Changes.getIndex())
      continue;
    for (const ELFRelocationRef R : Table.relocations()) {
      const auto Addend = valueOf(R.getAddend());
      const uint64_t Where = R.getOffset();
      if (!Addend || R.getSymbol() == ELF->symbol_end())
        continue;
      std::optional<uint64_t> To = addressOf(ELFSymbolRef(*R.getSymbol()));
      if (auto It = Imported.find(numberOf(*R.getSymbol())); !To && It != Imported.end())
        To = It->second;
      if (!To)
        continue;
      const uint64_t Value = *To + uint64_t(*Addend);
      const bool Wide = R.getType() == ELF::R_X86_64_64 || R.getType() == ELF::R_X86_64_PC64;
      if (Where + (Wide ? 8 : 4) > Bytes.size())
        continue;
      switch (R.getType()) {
      case ELF::R_X86_64_PC32:
      case ELF::R_X86_64_PLT32:
        support::endian::write32le(&Bytes[Where], uint32_t(Value - (At + Where)));
        break;
      case ELF::R_X86_64_32:
      case ELF::R_X86_64_32S:
        support::endian::write32le(&Bytes[Where], uint32_t(Value));
        break;
      case ELF::R_X86_64_64:
        support::endian::write64le(&Bytes[Where], Value);
        break;
      case ELF::R_X86_64_PC64:
        support::endian::write64le(&Bytes[Where], Value - (At + Where));
        break;
      default:
        break;
      }
    }
  }
}

} // namespace whyhot::machine
