#include "machine/image.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::object;

namespace whyhot::machine {

bool endsHere(StringRef Name) {
  static const StringSet<> Known = {"abort",
                                    "exit",
                                    "_exit",
                                    "_Exit",
                                    "quick_exit",
                                    "__stack_chk_fail",
                                    "__stack_chk_fail_local",
                                    "__chk_fail",
                                    "__fortify_fail",
                                    "__assert_fail",
                                    "__assert_perror_fail",
                                    "__assert",
                                    "__cxa_throw",
                                    "__cxa_rethrow",
                                    "__cxa_bad_cast",
                                    "__cxa_bad_typeid",
                                    "__cxa_throw_bad_array_new_length",
                                    "__cxa_pure_virtual",
                                    "_Unwind_Resume",
                                    "longjmp",
                                    "siglongjmp",
                                    "_longjmp",
                                    "__longjmp_chk",
                                    "pthread_exit",
                                    "err",
                                    "errx",
                                    "verr",
                                    "verrx",
                                    "_ZSt9terminatev",
                                    "__clang_call_terminate",
                                    "rust_panic",
                                    "rust_begin_unwind",
                                    "__libc_fatal"};
  return Known.contains(Name) || (Name.starts_with("_ZSt") && Name.contains("__throw_")) ||
         Name.starts_with("_ZN4core9panicking") || Name.contains("core9panicking5panic") ||
         Name.starts_with("runtime.panic") || Name.starts_with("runtime.goPanic");
}

namespace {

StringRef withoutVersion(StringRef Name) { return Name.take_front(Name.find('@')); }

template <class ELFT> void relativeOf(const ELFObjectFile<ELFT> &O, DenseMap<uint64_t, uint64_t> &Out) {
  const ELFFile<ELFT> &F = O.getELFFile();
  auto Sections = F.sections();
  if (!Sections) {
    consumeError(Sections.takeError());
    return;
  }
  const uint32_t Type = F.getRelativeRelocationType();
  for (const auto &S : *Sections) {
    if (S.sh_type != ELF::SHT_RELA || !(S.sh_flags & ELF::SHF_ALLOC))
      continue;
    auto List = F.relas(S);
    if (!List) {
      consumeError(List.takeError());
      continue;
    }
    for (const auto &R : *List)
      if (R.getType(F.isMips64EL()) == Type)
        Out[R.r_offset] = uint64_t(int64_t(R.r_addend));
  }
}

} // namespace

Expected<std::unique_ptr<Image>> Image::open(const std::string &Path) {
  auto File = ObjectFile::createObjectFile(Path);
  if (!File)
    return File.takeError();
  auto Out = std::make_unique<Image>();
  Out->File = std::move(*File);
  Out->ELF = dyn_cast<ELFObjectFileBase>(Out->File.getBinary());
  if (!Out->ELF || Out->ELF->getBytesInAddress() != 8 || !Out->ELF->isLittleEndian())
    return createStringError("no ELF file of 64 bits, low byte first");
  if (Out->ELF->isRelocatableObject()) {
    Out->layOut();
    return Out;
  }
  for (const SectionRef &S : Out->ELF->sections()) {
    const uint64_t Flags = ELFSectionRef(S).getFlags();
    if (!(Flags & ELF::SHF_ALLOC) || S.isBSS() || S.getSize() == 0)
      continue;
    auto Text = S.getContents();
    if (!Text) {
      consumeError(Text.takeError());
      continue;
    }
    if (Text->size() < S.getSize())
      continue;
    Out->Sections.push_back({S.getAddress(), S.getAddress() + S.getSize(), arrayRefFromStringRef(*Text), S.isText()});
  }
  sort(Out->Sections, [](const Section &A, const Section &B) { return A.Low < B.Low; });
  return Out;
}

llvm::Triple Image::triple() const { return ELF->makeTriple(); }

ArrayRef<uint8_t> Image::at(uint64_t Address) const {
  auto It = upper_bound(Sections, Address, [](uint64_t A, const Section &S) { return A < S.Low; });
  if (It == Sections.begin() || Address >= std::prev(It)->High)
    return {};
  --It;
  return It->Bytes.drop_front(Address - It->Low);
}

bool Image::isCode(uint64_t Address) const {
  auto It = upper_bound(Sections, Address, [](uint64_t A, const Section &S) { return A < S.Low; });
  return It != Sections.begin() && Address < std::prev(It)->High && std::prev(It)->Code;
}

std::optional<uint64_t> Image::pointerAt(uint64_t Address) {
  const ArrayRef<uint8_t> Bytes = at(Address);
  if (Bytes.size() < 8)
    return std::nullopt;
  // The loader adds to what is there, or takes it from the table of relocations.
  if (const uint64_t There = support::endian::read64le(Bytes.data()))
    return There;
  readRelocations();
  if (auto It = Relative.find(Address); It != Relative.end())
    return It->second;
  return std::nullopt;
}

const Stub *Image::stub(uint64_t Address) {
  readStubs();
  auto It = Stubs.find(Address);
  return It == Stubs.end() ? nullptr : &It->second;
}

bool Image::neverReturns(uint64_t Address) {
  if (const Stub *S = stub(Address))
    return endsHere(S->Name);
  readSymbols();
  return Endless.contains(Address);
}

void Image::readStubs() {
  if (HasStubs)
    return;
  HasStubs = true;
  for (const ELFPltEntry &E : ELF->getPltEntries()) {
    if (!E.Symbol)
      continue;
    auto Name = ELFSymbolRef(SymbolRef(*E.Symbol, ELF)).getName();
    auto Flags = ELFSymbolRef(SymbolRef(*E.Symbol, ELF)).getFlags();
    if (Name && Flags)
      Stubs[E.Address] = {withoutVersion(*Name).str(), !(*Flags & SymbolRef::SF_Undefined)};
    if (!Name)
      consumeError(Name.takeError());
    if (!Flags)
      consumeError(Flags.takeError());
  }
}

void Image::readSymbols() {
  if (HasSymbols)
    return;
  HasSymbols = true;
  auto Read = [&](const ELFSymbolRef &S) {
    auto Name = S.getName();
    if (!Name) {
      consumeError(Name.takeError());
      return;
    }
    if (!endsHere(withoutVersion(*Name)))
      return;
    if (auto Address = S.getAddress(); Address && *Address)
      Endless.insert(*Address);
    else if (!Address)
      consumeError(Address.takeError());
  };
  for (const ELFSymbolRef &S : ELF->symbols())
    Read(S);
  for (const ELFSymbolRef &S : ELF->getDynamicSymbolIterators())
    Read(S);
}

std::vector<Named> Image::functions(StringRef Name) const {
  std::vector<Named> Out;
  auto Read = [&](const ELFSymbolRef &S) {
    auto Type = S.getType();
    auto Is = S.getName();
    const bool Function = Type && *Type == SymbolRef::ST_Function && S.getSize() > 0;
    if (Is && Function) {
      const StringRef Own = withoutVersion(*Is);
      const std::string Long = demangle(Own);
      const StringRef Short = StringRef(Long).take_front(Long.find('('));
      const auto At = Own == Name || Name == Long || Name == Short ? addressOf(S) : std::nullopt;
      if (At && none_of(Out, [&](const Named &N) { return N.Low == *At; }))
        Out.push_back({Own.str(), *At, *At + S.getSize()});
    }
    if (!Type)
      consumeError(Type.takeError());
    if (!Is)
      consumeError(Is.takeError());
  };
  for (const ELFSymbolRef &S : ELF->symbols())
    Read(S);
  for (const ELFSymbolRef &S : ELF->getDynamicSymbolIterators())
    Read(S);
  return Out;
}

void Image::readRelocations() {
  if (HasRelocations)
    return;
  HasRelocations = true;
  if (const auto *O = dyn_cast<ELF64LEObjectFile>(ELF))
    relativeOf(*O, Relative);
}

} // namespace whyhot::machine
