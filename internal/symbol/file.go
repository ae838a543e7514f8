package symbol

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/debugfile"
	"whyhot/internal/elfinfo/dwarf"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/profile"
	"whyhot/internal/symbol/elfsym"
	"whyhot/internal/symbol/gopcln"
)

// Options say where to look and how to print.
type Options struct {
	// DebugDirs are searched for separate debug files and for copies of binaries
	// before the system's own places (see debugfile.Finder), and for perf maps.
	DebugDirs []string
	// Parameters keeps the parameter list in demangled names.
	Parameters bool
	// NamesOnly leaves lines and inlined calls out: where a file has a symbol
	// table, its debug information is not read. That is several times faster.
	NamesOnly bool
	// CacheDir is where the list of the kernel's symbols is kept while the kernel
	// runs: making it takes the kernel longer than reading most profiles takes.
	// "" keeps nothing.
	CacheDir string
	// Root is the root directory that paths in profiles are relative to, "" for
	// this system's.
	Root string
}

func (o Options) finder() debugfile.Finder {
	home, err := os.UserHomeDir()
	if err != nil || o.Root != "" {
		home = ""
	}
	return debugfile.Finder{Root: o.Root, Dirs: o.DebugDirs, Home: home}
}

// Detail says how much is known about the code of a file.
type Detail uint8

// The levels of detail, least first.
const (
	DetailNone    Detail = iota
	DetailExports        // exported names only: the file is stripped
	DetailNames          // names of all functions
	DetailLines          // names, lines and inlined frames
)

// File names the addresses of one binary. Its methods may be called from many
// goroutines.
type File struct {
	bin     *elffile.File // the binary; nil when only its debug file is there
	debug   *elffile.File // separate debug file, or nil
	alt     *elffile.File // shared part of debug's information, or nil
	symbols *elfsym.Table // what prepare was asked for
	dwarf   *dwarf.Info   // nil without DWARF
	golang  *gopcln.Table
	names   *demangler
	isGo    bool
	notes   []string
}

// Open reads the binary at path together with its separate debug file, if there
// is one. Damage of a part that is not needed to name addresses is told by Notes
// and is no error.
func Open(path string, opts Options) (*File, error) {
	bin, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{bin: bin, names: newDemangler(opts.Parameters)}
	if err := f.prepare(opts.finder(), nil, opts.NamesOnly); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// prepare reads what is needed to name the addresses asked for, nil for all.
func (f *File) prepare(find debugfile.Finder, asked []uint64, namesOnly bool) error {
	main := f.bin
	if main == nil {
		main = f.debug
	}
	return elffile.Guard(main.Path(), func() error {
		f.load(main, find, asked, namesOnly)
		return nil
	})
}

func (f *File) load(main *elffile.File, find debugfile.Finder, asked []uint64, namesOnly bool) {
	if f.debug == nil && !main.HasData(".debug_info") && !main.HasData(".zdebug_info") {
		debug, err := find.Debug(main)
		f.note(err)
		f.debug = debug
	}
	var extra []*elffile.File
	withDWARF := main
	if f.debug != nil && f.debug != main {
		extra = append(extra, f.debug)
		withDWARF = f.debug
	}
	var err error
	if asked == nil {
		f.symbols, err = elfsym.Read(main, extra...)
	} else {
		f.symbols, err = elfsym.ReadFor(main, asked, extra...)
		f.note(err)
		f.symbols, err = elfsym.WithTails(main, f.symbols, asked)
	}
	f.note(err)
	f.isGo = main.Section(".go.buildinfo") != nil || gopcln.Is(main)
	if namesOnly && f.symbols.HasStatic() {
		return
	}
	f.alt, err = find.Alt(withDWARF)
	f.note(err)
	f.dwarf, err = dwarf.Open(withDWARF, f.alt, main.CodeRanges())
	f.note(err)
	if f.dwarf == nil && f.isGo {
		f.golang, err = gopcln.Open(main)
		f.note(err)
	}
}

func (f *File) note(err error) {
	if err != nil && !errors.Is(err, debugfile.ErrNone) {
		f.notes = append(f.notes, err.Error())
	}
}

// Close releases the files. Frames stay valid.
func (f *File) Close() error {
	var errs []error
	for _, e := range []*elffile.File{f.bin, f.debug, f.alt} {
		if e != nil {
			errs = append(errs, e.Close())
		}
	}
	return errors.Join(errs...)
}

// Notes are what the user should know about the file: damage, refused debug
// files.
func (f *File) Notes() []string {
	notes := f.notes
	if f.dwarf != nil {
		notes = append(slices.Clip(notes), f.dwarf.Notes()...)
	}
	return notes
}

// Detail says what kind of information the file has.
func (f *File) Detail() Detail {
	switch {
	case f.dwarf != nil || f.golang != nil:
		return DetailLines
	case f.symbols.HasStatic():
		return DetailNames
	case f.symbols.HasAny():
		return DetailExports
	default:
		return DetailNone
	}
}

// Sources are the paths of the files that names come from.
func (f *File) Sources() []string {
	var out []string
	for _, e := range []*elffile.File{f.bin, f.debug, f.alt} {
		if e != nil {
			out = append(out, e.Path())
		}
	}
	return out
}

// BuildID is that of the binary, "" when it has none.
func (f *File) BuildID() string {
	if f.bin != nil {
		return f.bin.BuildID()
	}
	return f.debug.BuildID()
}

// OffsetToVaddr translates an offset in the binary to a virtual address.
func (f *File) OffsetToVaddr(off uint64) (uint64, bool) {
	if f.bin != nil {
		return f.bin.OffsetToVaddr(off)
	}
	return debugVaddr(f.debug, off)
}

// Lookup returns the frames at a virtual address, innermost inlined callee
// first, or nil when nothing is known about it. Padding between functions that
// the line table covers gives one frame with a line and no name.
func (f *File) Lookup(vaddr uint64) []profile.Frame {
	frames, err := f.LookupAll(context.Background(), []uint64{vaddr})
	if err != nil {
		return nil
	}
	return frames[0]
}

// LookupAll is Lookup for many addresses, in their order, on all processors.
// Equal answers share their memory: do not write to them. It fails only when ctx
// ends or the file is truncated while it is read.
func (f *File) LookupAll(ctx context.Context, vaddrs []uint64) ([][]profile.Frame, error) {
	out := make([][]profile.Frame, len(vaddrs))
	rest := make([]int, 0, len(vaddrs))
	if f.dwarf != nil {
		if err := f.fromDWARF(ctx, vaddrs, out); err != nil {
			return nil, err
		}
	}
	for i := range out {
		if out[i] == nil {
			rest = append(rest, i)
		}
	}
	shared := map[uint64][]profile.Frame{} // by the address of the symbol
	for _, i := range rest {
		out[i] = f.fromTables(vaddrs[i], shared)
	}
	return out, nil
}

// fromTables names an address that DWARF says nothing about. Answers without a
// line are shared between the addresses of a symbol.
func (f *File) fromTables(vaddr uint64, shared map[uint64][]profile.Frame) []profile.Frame {
	if f.golang != nil {
		if found := f.golang.Find(vaddr); found != nil {
			frames := make([]profile.Frame, len(found))
			for i, in := range found {
				fn := profile.Function{Name: in.Name, File: in.File, StartLine: int32(in.Start), Kind: profile.KindGo} //nolint:gosec // a line
				frames[i] = profile.Frame{Function: fn, Line: int32(in.Line)}                                          //nolint:gosec // a line
			}
			return frames
		}
	}
	sym, ok := f.symbols.Find(vaddr)
	if !ok {
		return nil
	}
	frames := shared[sym.Low]
	if frames == nil || sym.Name != frames[0].Function.Name && sym.Name != frames[0].Function.SystemName {
		frames = []profile.Frame{{Function: f.function(sym.Name)}}
		shared[sym.Low] = frames
	}
	return frames
}

// function makes a function from its name in a symbol table or in DWARF.
func (f *File) function(symbol string) profile.Function {
	fn := profile.Function{Name: f.names.name(symbol), Kind: profile.KindNative}
	if f.isGo {
		fn.Kind = profile.KindGo
	}
	if fn.Name != symbol {
		fn.SystemName = symbol
	}
	return fn
}

// debugVaddr translates an offset in a binary of which only the debug file is
// there. Where eu-strip or the agent made it, its program headers are the binary's.
// Those of objcopy have lost their sizes; what is left is that a
// segment is mapped at the same offset within a page, and that linkers give the
// first segments file offsets equal to their distance from the first one.
func debugVaddr(debug *elffile.File, off uint64) (uint64, bool) {
	if vaddr, ok := debug.OffsetToVaddr(off); ok {
		return vaddr, true
	}
	const page = 4096
	base, found := uint64(0), false
	for _, r := range debug.Progs {
		if r.Type.String() == "PT_LOAD" && (!found || r.Vaddr < base) {
			base, found = r.Vaddr&^(page-1), true
		}
	}
	return base + off, found
}

// inRoot puts an absolute path of the profiled system under the root directory.
func inRoot(root, path string) string {
	if root == "" {
		return path
	}
	return filepath.Join(root, strings.TrimPrefix(path, "/"))
}
