package rule

import (
	"slices"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/profile"
)

// gramSize is the length of the substrings that the index is keyed by.
const gramSize = 3

// setID numbers a list of frame patterns ("any" of an entry, "inside", …).
type setID int32

// probe is one frame pattern with the set it belongs to.
type probe struct {
	set     setID
	pattern *catalog.Frame
	kinds   uint32 // bit per profile.Kind, 0 for all
}

// index finds the sets that a function belongs to without trying every
// expression on every name.
type index struct {
	probes []probe
	byName map[[gramSize]byte][]entry
	byFile map[[gramSize]byte][]entry
	always []int32
	sets   setID
	uses   map[[gramSize]byte]int // how often a key was chosen, to spread the load
}

// entry is a probe with a literal that its key is a part of: the literal is looked for
// before an expression is tried, since many names have the key alone.
type entry struct {
	probe   int32
	literal string
}

func newIndex() *index {
	return &index{
		byName: map[[gramSize]byte][]entry{},
		byFile: map[[gramSize]byte][]entry{},
		uses:   map[[gramSize]byte]int{},
	}
}

// add makes a set of frame patterns; noSet for an empty list.
func (x *index) add(frames []catalog.Frame) setID {
	if len(frames) == 0 {
		return noSet
	}
	id := x.sets
	x.sets++
	for i := range frames {
		f := &frames[i]
		n := int32(len(x.probes))
		x.probes = append(x.probes, probe{set: id, pattern: f, kinds: kindBits(f.Kind)})
		switch {
		case x.key(x.byName, f.Name, n):
		case len(f.Name) == 0 && x.key(x.byFile, f.File, n):
		default:
			x.always = append(x.always, n)
		}
	}
	return id
}

const noSet setID = -1

// key files probe n under literals that one of the patterns needs; false when
// some pattern needs none.
func (x *index) key(in map[[gramSize]byte][]entry, patterns []catalog.Pattern, n int32) bool {
	if len(patterns) == 0 {
		return false
	}
	var all []string
	for _, p := range patterns {
		lits := requiredLiterals(p.String())
		if lits == nil {
			return false
		}
		all = append(all, lits...)
	}
	for _, lit := range all {
		g := x.rarest(lit)
		in[g] = append(in[g], entry{n, lit})
		x.uses[g]++
	}
	return true
}

func (x *index) rarest(lit string) [gramSize]byte {
	best := gramAt(lit, 0)
	for i := 1; i+gramSize <= len(lit); i++ {
		if g := gramAt(lit, i); x.uses[g] < x.uses[best] {
			best = g
		}
	}
	return best
}

func gramAt(s string, i int) [gramSize]byte { return [gramSize]byte{s[i], s[i+1], s[i+2]} }

func kindBits(names []string) uint32 {
	var bits uint32
	for _, n := range names {
		for i, k := range catalog.Kinds {
			if k == n {
				bits |= 1 << i
			}
		}
	}
	return bits
}

// lookup finds the sets of one frame. Its scratch space makes it useful to one
// goroutine.
type lookup struct {
	x    *index
	seen []uint32 // per probe, the call that tried it last
	call uint32
	libs map[libKey]bool
}

type libKey struct {
	probe int32
	lib   string
}

func (x *index) lookup() *lookup {
	return &lookup{x: x, seen: make([]uint32, len(x.probes)), libs: map[libKey]bool{}}
}

// sets returns the sets that f belongs to, each once.
func (l *lookup) sets(f *frame) []setID {
	l.call++
	var out []setID
	for _, n := range l.x.always {
		out = l.try(n, f, out)
	}
	out = l.grams(l.x.byName, strings.ToLower(f.name), f, out)
	return l.grams(l.x.byFile, strings.ToLower(f.file), f, out)
}

func (l *lookup) grams(in map[[gramSize]byte][]entry, text string, f *frame, out []setID) []setID {
	for i := 0; i+gramSize <= len(text); i++ {
		for _, e := range in[gramAt(text, i)] {
			if l.seen[e.probe] != l.call && strings.Contains(text, e.literal) {
				out = l.try(e.probe, f, out)
			}
		}
	}
	return out
}

func (l *lookup) try(n int32, f *frame, out []setID) []setID {
	if l.seen[n] == l.call {
		return out
	}
	l.seen[n] = l.call
	p := &l.x.probes[n]
	if slices.Contains(out, p.set) {
		return out
	}
	if (p.kinds != 0 && p.kinds&(1<<f.kind) == 0) || !l.library(n, p.pattern, f.lib) || !nameMatches(p.pattern, f) {
		return out
	}
	return append(out, p.set)
}

func (l *lookup) library(n int32, p *catalog.Frame, lib string) bool {
	if p.NoLibrary {
		return lib == ""
	}
	if len(p.Library) == 0 && len(p.NotLibrary) == 0 {
		return true
	}
	k := libKey{n, lib}
	ok, known := l.libs[k]
	if !known {
		ok = lib != "" && (len(p.Library) == 0 || catalog.MatchAny(p.Library, lib)) && !catalog.MatchAny(p.NotLibrary, lib)
		l.libs[k] = ok
	}
	return ok
}

func nameMatches(p *catalog.Frame, f *frame) bool {
	if p.Unnamed {
		return f.name == ""
	}
	if len(p.Name) > 0 && (f.name == "" || !catalog.MatchAny(p.Name, f.name)) {
		return false
	}
	if len(p.NotName) > 0 && catalog.MatchAny(p.NotName, f.name) {
		return false
	}
	return len(p.File) == 0 || (f.file != "" && catalog.MatchAny(p.File, f.file))
}

// matchFunctions gives for every function of a profile the sets it belongs to.
func (x *index) matchFunctions(p *profile.Profile) [][]setID {
	l := x.lookup()
	out := make([][]setID, p.NumFunctions())
	for i := range out {
		fn := p.Function(profile.FunctionID(i))
		f := normalize(fn, p.Mapping(fn.Mapping))
		out[i] = l.sets(&f)
	}
	return out
}
