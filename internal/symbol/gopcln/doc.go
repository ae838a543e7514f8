// Package gopcln names addresses of a Go program from the tables that its runtime needs, which
// stripping therefore leaves in place.
//
// It owns the reading of .gopclntab and of the trees of inlined calls. It takes an open ELF file
// and gives, for an address, the function, file and line, and those of the calls that were
// inlined there. It must never import package symbol.
//
// How. The table of functions has, for each, lists of values by address: file, line, and the
// index of a call in the function's tree of inlined calls. A call has the name of what was
// inlined and an instruction at the place of the call, whose file, line and index are those of
// the caller. The trees lie in go:func.*, whose address only the runtime's description of the
// program has (runtime.moduledata); its place there differs between versions, so the word is
// taken for which the trees of many functions make sense. Before Go 1.20 calls have another
// form: such programs, and those where no word does, have the functions without what was inlined.
//
// Form of the tables: cmd/link/internal/ld/pcln.go, runtime/symtab.go and symtabinl.go, Go 1.20
// to 1.26.
//
// Example. In main.get of a program without debug information, an address has the file mutex.go,
// and the index of a call of sync.(*Mutex).Lock at main.go:19:
// sync.(*Mutex).Lock (mutex.go:70) ← main.get (main.go:19)
package gopcln
