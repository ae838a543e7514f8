package burn

import (
	"debug/elf"
	"testing"

	"whyhot/internal/profile"
)

// span is a function's range of file offsets in one binary.
type span struct {
	path      string
	low, high uint64
}

// symbolsOf reads the functions of a program. The tests do without
// internal/symbol, so that they test recording alone.
func symbolsOf(t *testing.T, program string) map[string]span {
	t.Helper()
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing can be lost
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]span{}
	for _, s := range symbols {
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD && s.Value >= p.Vaddr && s.Value < p.Vaddr+p.Filesz {
				low := s.Value - p.Vaddr + p.Off
				out[s.Name] = span{program, low, low + s.Size}
			}
		}
	}
	return out
}

func (s span) holds(p *profile.Profile, id profile.LocationID) bool {
	l := p.Location(id)
	m := p.Mapping(l.Mapping)
	offset := l.Address - m.Start + m.Offset
	return m.Path == s.path && offset >= s.low && offset < s.high
}
