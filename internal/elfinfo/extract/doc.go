// Package extract makes, of a binary, a smaller ELF file by which its addresses can
// be named: the symbols alone, or all debug information.
//
// It owns which sections that takes, and the form of the file. It takes open files
// (a binary and, where there is one, its separate debug file, or one of the two) and
// gives a stream of known length; what it holds in memory is the headers. It must
// never look for files, nor know where the stream goes.
//
// The form. Sections keep their indices, names and addresses, so that symbols and
// links between sections mean what they meant. Sections of the program's memory that
// are not needed keep their header and lose their bytes (SHT_NOBITS), as objcopy
// --only-keep-debug does it; others become SHT_NULL. Segments of type PT_LOAD keep
// their offsets in the binary, as eu-strip leaves them: offsets in a profile can then
// be translated to addresses without the binary. Compressed sections stay as they are.
//
// Foreign bytes. The headers are checked against the file's size before they are
// used; contents are passed on unread. Reads go through io.ReaderAt: a file that
// somebody truncates meanwhile gives an error and no fault.
//
// References: the generic ABI (gabi), chapters 4 and 5; GDB manual, "Debugging
// Information in Separate Files".
package extract
