// Package elffile opens one ELF file and hands out its parts.
//
// It owns the bytes: the file is mapped, not read, so that looking at one part
// of a debug file of gigabytes costs that part only; compressed sections
// (SHF_COMPRESSED with zlib or zstd, and the older .zdebug_ form) are
// decompressed once, on first use. It takes a path or bytes and gives section
// contents, the build ID, links to separate debug files and the translation of
// file offsets to virtual addresses. It knows nothing of symbols, of DWARF, of
// profiles or of where debug files lie.
//
// Damaged input. Every offset and size from the file is checked against the
// bytes that are there; memory taken for a compressed section grows with what
// it really holds and not with what its header claims. A file that is truncated
// by somebody else while it is mapped faults on access: run code that reads
// sections inside Guard, which turns the fault into an error.
//
// Slices that Data returns are read-only and die with Close.
package elffile
