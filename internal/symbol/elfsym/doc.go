// Package elfsym names addresses from the symbol tables of an ELF file.
//
// It owns the choice of one symbol per address. It takes an elffile.File and
// gives an immutable Table: .symtab, .dynsym, the "mini debug info" of
// .gnu_debugdata, and names of the form func@plt for the stubs of a procedure
// linkage table. It must not read DWARF or demangle; names are as in the file,
// without symbol versions.
//
// A symbol holds the addresses of its size. Assembly code often leaves the size
// out; such a symbol reaches to the next symbol, or to the end of what
// .eh_frame_hdr says is one function, or to the end of its section, whichever is
// first. In a file whose .symtab is stripped the next symbol is not the next
// function, so there only the bound of .eh_frame_hdr counts: without it one
// forgotten label would take in half a library.
//
// Where only exported names are left, WithTails gives the part of an exported function
// that it jumps to its name.
//
// Of several symbols for one place the one a person would call it by wins: a
// function before an untyped label, exported before local, fewer leading
// underscores, then the shorter name ("puts", not "_IO_puts").
package elfsym
