package symbol

import (
	"context"
	"path/filepath"
	"strings"

	"whyhot/internal/elfinfo/dwarf"
	"whyhot/internal/profile"
)

// fromDWARF fills out with the frames of the addresses that the debug information
// knows.
func (f *File) fromDWARF(ctx context.Context, vaddrs []uint64, out [][]profile.Frame) error {
	return f.dwarf.Lookup(ctx, vaddrs, func() func(int, []dwarf.Frame) {
		c := converter{
			f:      f,
			funcs:  map[*dwarf.Function]profile.Function{},
			frames: map[frameKey][]profile.Frame{},
		}
		return func(i int, frames []dwarf.Frame) {
			out[i] = c.convert(vaddrs[i], frames)
		}
	})
}

// converter turns the frames of one compilation unit into those of a profile.
type converter struct {
	f      *File
	funcs  map[*dwarf.Function]profile.Function
	frames map[frameKey][]profile.Frame
}

// frameKey identifies an answer: the frames that DWARF gave, which equal answers
// share, and the symbol that names the outermost.
type frameKey struct {
	first  *dwarf.Frame
	symbol uint64 // its address
}

func (c *converter) convert(vaddr uint64, frames []dwarf.Frame) []profile.Frame {
	sym, _ := c.f.symbols.Find(vaddr)
	key := frameKey{&frames[0], sym.Low}
	if known, ok := c.frames[key]; ok {
		return known
	}
	out := make([]profile.Frame, len(frames))
	for i := range frames {
		out[i] = profile.Frame{Function: c.function(frames[i].Function), Line: frames[i].Line}
		out[i].Function.File = frames[i].File
		if in := frames[i].Function.File; in != frames[i].File && !(in == "" && filepath.Ext(frames[i].File) == ".go") {
			out[i].Function.StartLine = 0 // it would point into another file; Go names none for what is inlined
		}
	}
	if sym.Name != "" {
		c.f.rename(&out[len(out)-1].Function, sym.Name)
	}
	c.frames[key] = out
	return out
}

func (c *converter) function(d *dwarf.Function) profile.Function {
	if fn, ok := c.funcs[d]; ok {
		return fn
	}
	fn := c.f.function(d.Symbol)
	if d.Scope != "" {
		fn.Name, fn.SystemName = d.Scope+"::"+d.Name, d.Symbol
	}
	fn.StartLine = d.Line
	c.funcs[d] = fn
	return fn
}

// rename gives a function with code of its own the name that the symbol table
// has for it. The table knows which copy of a function this is (".cold",
// ".isra.0") and by what name a C library exports it, and DWARF does not. But
// where two C++ functions were compiled to the same code, and share it, DWARF
// knows which of them the code was made for.
func (f *File) rename(fn *profile.Function, symbol string) {
	named := f.function(symbol)
	if isMangled(fn.SystemName) && isMangled(symbol) && !strings.HasPrefix(named.Name, fn.Name) {
		return
	}
	fn.Name, fn.SystemName = named.Name, named.SystemName
}

func isMangled(symbol string) bool {
	return strings.HasPrefix(symbol, "_Z") || strings.HasPrefix(symbol, "_R")
}
