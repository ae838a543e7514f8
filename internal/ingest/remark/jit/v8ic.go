package jit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/ingest/remark"
)

// access is one place in source that reads or writes a property.
type access struct {
	function, file string
	line, column   int
	does           string // "reads" or "writes"
}

// seen is what came to one access.
type seen struct {
	shapes, names map[string]bool
	keyed         bool // the name is computed
	megamorphic   bool
}

// accesses are those of a log of --log-ic, joined with the bytecode that they are in.
type accesses struct {
	code map[uint64][]bytecode // by address >> bucket
	of   map[access]*seen
}

type bytecode struct {
	start, end uint64
	place      place
}

const (
	bucket = 14
	// longestCode is more than any function has; its log line would be nonsense.
	longestCode = 64 << 20
)

// loaded is told of each code-creation line that has a place. Only bytecode is kept: of
// an access in optimised code the log has the line of what was inlined and the address of
// what it was inlined in, which can be another file.
func (a *accesses) loaded(f []string, p place) {
	if f[8] != "~" {
		return
	}
	start, err := strconv.ParseUint(f[4], 0, 64)
	size, err2 := strconv.ParseUint(f[5], 10, 64)
	if err != nil || err2 != nil || size == 0 || size > longestCode || start+size < start {
		return
	}
	a.add(bytecode{start, start + size, p})
}

func (a *accesses) add(b bytecode) {
	for k := b.start >> bucket; k <= (b.end-1)>>bucket; k++ {
		// The garbage collector frees code without a word: what is at its addresses
		// now takes its place.
		a.code[k] = append(slices.DeleteFunc(a.code[k], func(o bytecode) bool { return o.start < b.end && b.start < o.end }), b)
	}
}

// moved follows the garbage collector.
func (a *accesses) moved(from, to string) {
	src, err := strconv.ParseUint(from, 0, 64)
	dst, err2 := strconv.ParseUint(to, 0, 64)
	if err != nil || err2 != nil {
		return
	}
	b, ok := a.at(src)
	if !ok || b.start != src || dst+(b.end-b.start) < dst {
		return
	}
	for k := b.start >> bucket; k <= (b.end-1)>>bucket; k++ {
		a.code[k] = slices.DeleteFunc(a.code[k], func(o bytecode) bool { return o == b })
	}
	a.add(bytecode{dst, dst + (b.end - b.start), b.place})
}

func (a *accesses) at(pc uint64) (bytecode, bool) {
	in := a.code[pc>>bucket]
	if i := slices.IndexFunc(in, func(b bytecode) bool { return b.start <= pc && pc < b.end }); i >= 0 {
		return in[i], true
	}
	return bytecode{}, false
}

// does is what an inline cache is for, by the first field of its line.
var does = map[string]string{
	"LoadIC": "reads", "KeyedLoadIC": "reads",
	"StoreIC": "writes", "KeyedStoreIC": "writes", "SetNamedPropertyIC": "writes", "DefineKeyedOwnIC": "writes", "DefineNamedOwnIC": "writes",
}

// missed is told of each line of an inline cache that did not have what was asked:
//
//	LoadIC,0x2986ddc11f23,860425,118,25,P,N,0x2986ddc12999,keyword,,
//
// The fields are the address, the time, line and column, the cache's state before and
// after (1: one shape, P: up to four, N: megamorphic), the shape (V8: map), and the name.
func (a *accesses) missed(f []string) {
	pc, err := strconv.ParseUint(f[1], 0, 64)
	if err != nil {
		return
	}
	b, ok := a.at(pc)
	line, err := strconv.Atoi(f[3])
	if !ok || err != nil || line < 1 {
		return
	}
	column, _ := strconv.Atoi(f[4]) // 0 is none
	k := access{b.place.function, b.place.file, line, column, does[f[0]]}
	s := a.of[k]
	if s == nil {
		s = &seen{shapes: map[string]bool{}, names: map[string]bool{}}
		a.of[k] = s
	}
	s.shapes[f[7]] = true
	s.names[unescape(f[8])] = true
	s.keyed = s.keyed || strings.Contains(f[0], "Keyed")
	s.megamorphic = s.megamorphic || f[6] == "N"
}

// report gives the accesses that were too many for their cache. A name that is always
// the same is one that the shapes differ for; else names are data.
func (a *accesses) report(take func(remark.Remark)) {
	order := func(x, y access) int {
		return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.line, y.line), cmp.Compare(x.column, y.column), cmp.Compare(x.does, y.does), cmp.Compare(x.function, y.function))
	}
	for _, k := range slices.SortedFunc(maps.Keys(a.of), order) {
		s := a.of[k]
		if !s.megamorphic {
			continue
		}
		m := remark.Remark{
			Compiler: remark.V8, Kind: remark.Megamorphic, Function: cmp.Or(k.function, anonymous), Count: int64(len(s.shapes)),
			Where: []remark.Position{{File: k.file, Line: k.line, Column: k.column}},
		}
		if len(s.names) == 1 {
			for name := range s.names {
				m.Callee = name
			}
			m.Message = fmt.Sprintf("%s property %s of %d shapes or more", k.does, m.Callee, len(s.shapes))
		} else {
			m.Message = fmt.Sprintf("%s properties by computed names, %d or more, of %d shapes or more", k.does, len(s.names), len(s.shapes))
		}
		take(m)
	}
}
