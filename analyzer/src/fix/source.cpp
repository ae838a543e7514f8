#include "fix/source.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace whyhot::fix {
namespace {

StringRef bufferOf(const SourceManager &SM, FileID F) { return SM.getBufferData(F); }

size_t lineStart(StringRef Buffer, size_t Offset) {
  size_t NewLine = Buffer.take_front(Offset).rfind('\n');
  return NewLine == StringRef::npos ? 0 : NewLine + 1;
}

// Does Path name the file, or end as it does?
bool sameFile(StringRef Have, StringRef Want) {
  auto endsAs = [](StringRef Long, StringRef Short) {
    return Long == Short || (Long.ends_with(Short) && Long.drop_back(Short.size()).ends_with("/"));
  };
  Have.consume_front("./");
  Want.consume_front("./");
  return endsAs(Have, Want) || endsAs(Want, Have);
}

} // namespace

std::optional<CharSourceRange> Source::range(SourceRange R) const {
  CharSourceRange Chars = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(R), SM, C.getLangOpts());
  if (Chars.isInvalid())
    return std::nullopt;
  return Chars;
}

std::string Source::text(const Stmt *S) const {
  auto R = range(S->getSourceRange());
  return R ? Lexer::getSourceText(*R, SM, C.getLangOpts()).str() : std::string();
}

Remark Source::remark(const llvm::Twine &Text, SourceLocation At) const {
  Remark R;
  R.Text = Text.str();
  if (At.isInvalid())
    return R;
  PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(At), /*UseLineDirectives=*/false);
  if (P.isInvalid())
    return R;
  R.File = path(SM.getFileID(SM.getExpansionLoc(At)));
  R.Line = P.getLine();
  R.Column = P.getColumn();
  return R;
}

std::string Source::path(FileID F) const {
  OptionalFileEntryRef Entry = SM.getFileEntryRefForID(F);
  if (!Entry)
    return {};
  StringRef Real = Entry->getFileEntry().tryGetRealPathName();
  llvm::SmallString<256> Path(Real.empty() ? Entry->getName() : Real);
  SM.getFileManager().makeAbsolutePath(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true); // an #include may say "./x.h"
  return Path.str().str();
}

bool Source::isAt(SourceLocation L, const Request &R) const {
  FileID F = SM.getFileID(SM.getExpansionLoc(L));
  OptionalFileEntryRef Entry = SM.getFileEntryRefForID(F);
  return Entry && (sameFile(Entry->getName(), R.File) || sameFile(path(F), R.File));
}

unsigned Source::line(SourceLocation L) const { return SM.getExpansionLineNumber(L); }

unsigned Source::bytes(QualType T) const {
  return T->isScalarType() && !T->isDependentType() ? C.getTypeSizeInChars(T).getQuantity() : 0;
}

unsigned Source::endLine(const Stmt *S) const {
  return SM.getExpansionLineNumber(SM.getExpansionRange(S->getEndLoc()).getEnd());
}

bool Source::isEditable(SourceLocation L) const {
  L = SM.getExpansionLoc(L);
  return L.isValid() && !SM.isInSystemHeader(L) && SM.getFileEntryRefForID(SM.getFileID(L)).has_value();
}

Edit Source::replace(CharSourceRange R, std::string Text) const {
  auto [F, Begin] = SM.getDecomposedLoc(R.getBegin());
  return {path(F), Begin, SM.getFileOffset(R.getEnd()) - Begin, std::move(Text)};
}

Edit Source::insert(SourceLocation At, std::string Text) const {
  return replace(CharSourceRange::getCharRange(At, At), std::move(Text));
}

std::string Source::lineEnd(SourceLocation L) const {
  StringRef Buffer = bufferOf(SM, SM.getFileID(SM.getFileLoc(L)));
  size_t First = Buffer.find('\n');
  return First != StringRef::npos && First > 0 && Buffer[First - 1] == '\r' ? "\r\n" : "\n";
}

std::string Source::indentation(SourceLocation L) const {
  auto [F, Offset] = SM.getDecomposedLoc(SM.getFileLoc(L));
  StringRef Line = bufferOf(SM, F).drop_front(lineStart(bufferOf(SM, F), Offset));
  return Line.take_while([](char X) { return X == ' ' || X == '\t'; }).str();
}

size_t Source::endOf(const Stmt *S, FileID F) const {
  const auto R = range(S->getSourceRange());
  const SourceLocation Last = SM.getFileLoc(S->getEndLoc());
  size_t End = SM.getFileOffset(R ? R->getEnd() : Lexer::getLocForEndOfToken(Last, 0, SM, C.getLangOpts()));
  const StringRef Buffer = bufferOf(SM, F);
  if (End > 0 && Buffer[End - 1] == '}')
    return End;
  const StringRef Rest = Buffer.drop_front(End).ltrim();
  return Rest.starts_with(";") ? Buffer.size() - Rest.size() + 1 : End;
}

void Source::around(const Stmt *S, const ParentMap &Parents, const std::vector<std::string> &Before,
                    const std::vector<std::string> &Behind, std::vector<Edit> &Out) const {
  const std::string Indent = indentation(S->getBeginLoc());
  const Stmt *Parent = Parents.getParent(S);
  while (Parent && isa<AttributedStmt>(Parent)) {
    S = Parent;
    Parent = Parents.getParent(S);
  }
  auto [F, Offset] = SM.getDecomposedLoc(SM.getFileLoc(S->getBeginLoc()));
  StringRef Buffer = bufferOf(SM, F);
  size_t Start = lineStart(Buffer, Offset), End = endOf(S, F);
  const std::string Eol = lineEnd(S->getBeginLoc());
  const bool Alone = Buffer.slice(Start, Offset).trim(" \t").empty();
  std::string After;
  for (const std::string &L : Behind)
    After += Eol + Indent + L;
  // A statement under a case label must not begin with a declaration that the
  // next label jumps over.
  const Stmt *Above = Parent ? Parents.getParent(Parent) : nullptr;
  if (Parent && isa<CompoundStmt>(Parent) && !isa_and_nonnull<SwitchStmt>(Above)) {
    std::string Text;
    if (!Behind.empty()) {
      // A remark at the end of the line stays there.
      const StringRef Rest = Buffer.drop_front(End).take_until([](char X) { return X == '\n' || X == '\r'; });
      const StringRef Said = Rest.trim(" \t");
      if (Said.empty() || Said.starts_with("//") || (Said.starts_with("/*") && Said.find("*/") == Said.size() - 2))
        End += Rest.size();
      Out.push_back({path(F), unsigned(End), 0, After});
    }
    if (!Alone) {
      for (const std::string &L : Before)
        Text += L + Eol + Indent;
      Out.push_back({path(F), unsigned(Offset), 0, Text});
      return;
    }
    // A pragma speaks of the statement that follows it.
    for (size_t Up = Start; Up > 0;) {
      Up = lineStart(Buffer, Up - 1);
      if (!Buffer.slice(Up, Start).ltrim(" \t").starts_with("#pragma"))
        break;
      Start = Up;
    }
    for (const std::string &L : Before)
      Text += Indent + L + Eol;
    Out.push_back({path(F), unsigned(Start), 0, Text});
    return;
  }
  std::string Text;
  for (const std::string &L : Before)
    Text += Indent + L + Eol;
  // The brace ends the line of what the statement belongs to.
  const size_t Head = Buffer.take_front(Start).rtrim(" \t\r\n").size();
  const StringRef HeadLine = Buffer.slice(lineStart(Buffer, Head), Head);
  const bool Hangs = Alone && Head > 0 && Parent && !isa<CompoundStmt>(Parent) && !HeadLine.contains("//") &&
                     !HeadLine.contains("*/") && !HeadLine.ltrim().starts_with("#");
  if (Hangs) {
    Out.push_back({path(F), unsigned(Head), 0, " {"});
    Out.push_back({path(F), unsigned(Start), 0, Text});
  } else {
    Out.push_back({path(F), unsigned(Offset), 0, "{" + Eol + Text + Indent});
  }
  const std::string Closing = Hangs ? indentation(SM.getFileLoc(Parent->getBeginLoc())) : Indent;
  Out.push_back({path(F), unsigned(End), 0, After + Eol + Closing + "}"});
}

Edit Source::include(llvm::StringRef Header) const {
  FileID Main = SM.getMainFileID();
  StringRef Buffer = bufferOf(SM, Main);
  const std::string Eol = lineEnd(SM.getLocForStartOfFile(Main));
  // After the last include before the first declaration; one inside #if would
  // not always be read.
  size_t Best = 0;
  int Nesting = 0;
  for (size_t At = 0; At < Buffer.size();) {
    size_t End = std::min(Buffer.find('\n', At), Buffer.size() - 1);
    StringRef Line = Buffer.slice(At, End).ltrim(" \t");
    if (Line.consume_front("#")) {
      Line = Line.ltrim(" \t");
      if (Line.starts_with("if"))
        Nesting++;
      else if (Line.starts_with("endif"))
        Nesting--;
      else if (Line.starts_with("include") && Nesting == 0)
        Best = End + 1;
    }
    At = End + 1;
  }
  return {path(Main), unsigned(Best), 0, "#include " + Header.str() + Eol};
}

Names::Names(const Source &S, const FunctionDecl *F) : S(S) {
  auto R = S.range(F->getSourceRange());
  StringRef Text = R ? Lexer::getSourceText(*R, S.SM, S.C.getLangOpts()) : StringRef();
  unsigned Humps = 0, Bars = 0;
  bool Member = false; // after . or -> the name is another scope's
  while (!Text.empty()) {
    StringRef Word = Text.take_while([](char X) { return llvm::isAlnum(X) || X == '_'; });
    if (Word.empty()) {
      Member = Text[0] == '.' || Text.starts_with("->") || (Member && (Text[0] == '>' || llvm::isSpace(Text[0])));
      Text = Text.drop_front();
      continue;
    }
    Text = Text.drop_front(Word.size());
    if (!Member && !llvm::isDigit(Word[0]))
      Taken.insert(Word.str());
    Member = false;
    for (size_t I = 1; I + 1 < Word.size(); I++) {
      Humps += llvm::isLower(Word[I - 1]) && llvm::isUpper(Word[I]);
      Bars += llvm::isLower(Word[I - 1]) && Word[I] == '_' && llvm::isLower(Word[I + 1]);
    }
  }
  Camel = Humps > Bars;
  for (const auto *DC = F->getLexicalParent(); DC; DC = DC->getParent())
    if (const auto *RD = dyn_cast<RecordDecl>(DC))
      takeMembers(RD);
  if (const auto *M = dyn_cast<CXXMethodDecl>(F))
    takeMembers(M->getParent());
}

void Names::takeMembers(const RecordDecl *R) {
  for (const Decl *D : R->decls())
    if (const auto *N = dyn_cast<NamedDecl>(D); N && N->getIdentifier())
      Taken.insert(N->getName().str());
  if (const auto *CR = dyn_cast<CXXRecordDecl>(R); CR && CR->hasDefinition())
    for (const CXXBaseSpecifier &B : CR->bases())
      if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl())
        takeMembers(Base);
}

std::string Names::make(StringRef Of, StringRef What) {
  Of.consume_front("m_");
  Of.consume_front("_");
  Of = Of.rtrim('_');
  std::string Name = Of.str();
  if (!What.empty() && !Of.empty())
    Name = Camel ? Of.str() + llvm::toUpper(What[0]) + What.drop_front().str() : Of.str() + "_" + What.str();
  else if (Of.empty())
    Name = What.str();
  if (!Camel && Name.size() && llvm::isUpper(Name[0]) && What.empty())
    Name[0] = llvm::toLower(Name[0]);
  std::string Free = Name;
  auto isFree = [&](const std::string &N) {
    if (N.empty() || Taken.count(N))
      return false;
    IdentifierInfo &II = S.C.Idents.get(N);
    return II.getTokenID() == tok::identifier && !S.PP.getMacroInfo(&II) &&
           S.C.getTranslationUnitDecl()->lookup(&II).empty();
  };
  const char *const Tails[] = {"Local", "Here", "Fixed"};
  for (unsigned I = 0; !isFree(Free); I++) {
    std::string Tail = I < 3 ? Tails[I] : std::to_string(I);
    if (!Camel && I < 3)
      Tail = "_" + StringRef(Tail).lower();
    Free = Name + Tail;
  }
  Taken.insert(Free);
  return Free;
}

} // namespace whyhot::fix
