#include "records/records.h"

#include "llvm/Remarks/Remark.h"
#include "llvm/Remarks/RemarkParser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace whyhot::records {
namespace {

Record recordOf(const remarks::Remark &R) {
  Record Out;
  Out.Missed = R.RemarkType == remarks::Type::Missed || R.RemarkType == remarks::Type::Failure;
  Out.Pass = R.PassName.str();
  Out.Name = R.RemarkName.str();
  Out.Function = R.FunctionName.str();
  if (R.Loc) {
    Out.File = R.Loc->SourceFilePath.str();
    Out.Line = R.Loc->SourceLine;
    Out.Column = R.Loc->SourceColumn;
  }
  for (const remarks::Argument &A : R.Args) {
    if (A.Key == "Callee")
      Out.Callee = A.Val.str();
    Out.Message += A.Val;
  }
  return Out;
}

} // namespace

Answer read(const std::string &File) {
  Answer Out;
  auto Buffer = MemoryBuffer::getFile(File);
  if (!Buffer) {
    Out.Error = Buffer.getError().message();
    return Out;
  }
  // "FromMeta": what an object file has in its section names the file with the rest.
  auto Parser = remarks::createRemarkParserFromMeta(remarks::Format::Bitstream, (*Buffer)->getBuffer());
  if (!Parser) {
    Out.Error = toString(Parser.takeError());
    return Out;
  }
  for (;;) {
    auto Next = (*Parser)->next();
    if (!Next) {
      Error Failed = Next.takeError();
      if (!Failed.isA<remarks::EndOfFileError>())
        Out.Error = toString(std::move(Failed));
      else
        consumeError(std::move(Failed));
      return Out;
    }
    if ((*Next)->RemarkType != remarks::Type::Passed && (*Next)->RemarkType != remarks::Type::Unknown)
      Out.Records.push_back(recordOf(**Next));
  }
}

} // namespace whyhot::records
