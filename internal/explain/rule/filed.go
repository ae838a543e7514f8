package rule

import (
	"sync/atomic"

	"whyhot/internal/explain/catalog"
)

// filed is a catalogue with its frame patterns in an index. To make one takes 10 ms; it is the
// same for every profile, and nothing of it changes.
type filed struct {
	of       *catalog.Catalog
	index    *index
	compiled []compiled    // the entries, without lines
	anyOf    map[setID]int // set → entry whose "any" it is
	output   setID
	runtimes []setID
	names    []string // of runtimes
	scripted []bool   // of runtimes: interpreters
	memory   []memorySets
}

// lastFiled is of the catalogue that was asked for last: a process has one, which must not
// change once it was used.
var lastFiled atomic.Pointer[filed]

func filedOf(cat *catalog.Catalog) *filed {
	if f := lastFiled.Load(); f != nil && f.of == cat {
		return f
	}
	x := newIndex()
	f := &filed{of: cat, index: x, anyOf: map[setID]int{}}
	for i := range cat.Entries {
		en := &cat.Entries[i]
		c := compiled{
			Entry: en,
			any:   x.add(en.Match.Any), inside: x.add(en.Match.Inside), outside: x.add(en.Match.Outside),
			leaf: x.add(en.Match.Leaf), stays: x.add(en.Match.Stays), seen: x.add(en.Match.Seen), unless: x.add(en.Unless.Frames),
		}
		f.anyOf[c.any] = len(f.compiled)
		f.compiled = append(f.compiled, c)
	}
	f.output = x.add(output)
	for i := range cat.Runtimes {
		f.runtimes = append(f.runtimes, x.add(cat.Runtimes[i].Any))
		f.names = append(f.names, cat.Runtimes[i].Name)
		f.scripted = append(f.scripted, cat.Runtimes[i].Interpreter)
	}
	for i := range cat.Memory {
		f.memory = append(f.memory, memorySets{cat.Memory[i].Name, x.add(cat.Memory[i].Makes), x.add(cat.Memory[i].Releases), cat.Memory[i].Apart})
	}
	lastFiled.Store(f)
	return f
}
