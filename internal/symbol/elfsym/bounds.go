package elfsym

import (
	"whyhot/internal/elfinfo/cfi"
	"whyhot/internal/elfinfo/elffile"
)

// Bounds tells which code of a file is one function. Call frame information knows where
// functions begin and end also in stripped files; symbols know it of what has none, as Go's
// programs.
type Bounds struct {
	file    *elffile.File
	frames  *cfi.Section
	symbols *Table
}

// BoundsFor reads what it takes to find the functions of some addresses. The file has to stay
// open; where it changes meanwhile it has no functions.
func BoundsFor(f *elffile.File, addresses []uint64) *Bounds {
	b := &Bounds{file: f}
	err := elffile.Guard(f.Path(), func() error {
		b.frames = cfi.Exception(f)
		var err error
		b.symbols, err = ReadFor(f, addresses)
		return err
	})
	if b.symbols == nil && err != nil {
		b.symbols = &Table{}
	}
	return b
}

// Find gives where the function of an address begins and ends.
func (b *Bounds) Find(address uint64) (low, high uint64, ok bool) {
	_ = elffile.Guard(b.file.Path(), func() error { // a file that changes has no functions
		if b.frames != nil {
			if f, found := b.frames.Find(address); found {
				low, high, ok = f.Low, f.High, true
				return nil
			}
		}
		if s, found := b.symbols.Find(address); found && s.High > s.Low {
			low, high, ok = s.Low, s.High, true
		}
		return nil
	})
	return low, high, ok
}
