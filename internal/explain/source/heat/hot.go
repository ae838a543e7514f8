package heat

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/compdb"
	"whyhot/internal/profile"
)

// Hot is a function of the machine code that holds source of the tree.
type Hot struct {
	Name  string // for people
	Value int64  // what ran in it itself, inlined callees included

	key hotKey
	// asks are the linkage names to look at, by unit: the function's own and
	// those of what was inlined into it, which clang may leave out of line where
	// the compiler of the program did not. "" asks for the whole unit.
	asks map[int]map[string]bool
	// floating are names of functions in headers; candidates the units that may
	// define them, most likely first.
	floating   map[string]bool
	candidates []int
	votes      map[int]int64
	headers    []string
}

type hotKey struct{ symbol, file, binary string }

// rankFunctions collects the hot functions, hottest first, and finds the units to
// analyse each of them in. The reasons are in docs/decisions/0051.
//
// A frame's unit is the one whose main file the frame, or the nearest function
// around it that it was inlined into, is written in. Where that gives none (a
// template or an inline function of a header, compiled out of line), the unit of
// the nearest caller has it: a unit that calls an inline function must have its
// definition ([basic.def.odr]). After the units of callers come those that
// include the header.
//
// Example. A sort of b.cpp, with the comparison of sort.h in it:
//
//	leaf    sort.h:40  less<Row>()    no main file: floating
//	caller  stl_algo.h sort<…>()      no file of the tree
//	caller  b.cpp:50   main()         b.cpp gets the sample's value as a vote
//
// less<Row> is looked for in b.cpp, then in the units of rarer callers, then in
// sort.cpp if it includes sort.h, then in the other units that include it; four
// units at most (mostCandidates).
func (h *Heat) rankFunctions() {
	byKey := map[hotKey]*Hot{}
	of := make([]*Hot, h.p.NumLocations())
	for i, self := range h.selfOf {
		if loc := profile.LocationID(i); self != 0 && h.ours(loc) {
			of[i] = h.function(byKey, loc)
			of[i].Value += self
			h.ask(of[i], loc)
		}
	}
	for _, s := range h.p.Samples() {
		if stack := h.p.Stack(s.Stack); len(stack) > 0 && of[stack[0]] != nil && len(of[stack[0]].floating) > 0 {
			if u, ok := h.callerUnit(stack); ok {
				of[stack[0]].votes[u] += s.Value
			}
		}
	}
	for _, f := range byKey {
		h.orderCandidates(f)
		h.hot = append(h.hot, *f)
	}
	slices.SortFunc(h.hot, func(a, b Hot) int {
		return cmp.Or(-cmp.Compare(a.Value, b.Value), cmp.Compare(a.Name, b.Name), cmp.Compare(a.key.file, b.key.file), cmp.Compare(a.key.binary, b.key.binary))
	})
}

func (h *Heat) function(byKey map[hotKey]*Hot, loc profile.LocationID) *Hot {
	places := h.places[loc]
	own := places[len(places)-1]
	fn := h.p.Function(own.function)
	key := hotKey{symbol: linkage(fn), file: own.file, binary: h.binary(loc)}
	if key.symbol == "" {
		key.symbol = fn.Name
	}
	f := byKey[key]
	if f == nil {
		f = &Hot{Name: fn.Name, key: key, asks: map[int]map[string]bool{}, floating: map[string]bool{}, votes: map[int]int64{}}
		byKey[key] = f
	}
	return f
}

func (h *Heat) ask(f *Hot, loc profile.LocationID) {
	places := h.places[loc]
	for i, at := range places {
		if at.file == "" && i < len(places)-1 {
			continue // inside a library's inline function
		}
		name := linkage(h.p.Function(at.function))
		if u, ok := h.anchor(places[i:]); ok {
			if f.asks[u] == nil {
				f.asks[u] = map[string]bool{}
			}
			f.asks[u][name] = true
			continue
		}
		f.floating[name] = true
		if at.file != "" && !slices.Contains(f.headers, at.file) {
			f.headers = append(f.headers, at.file)
		}
	}
}

// anchor is the unit of the first place that is written in a unit's main file.
func (h *Heat) anchor(places []place) (unit int, ok bool) {
	for _, p := range places {
		if units := h.tree.main[p.file]; len(units) > 0 {
			return units[0], true
		}
	}
	return 0, false
}

// callerUnit is the unit of the nearest caller that has one. It gives up where
// the stack leaves the binary: through qsort of the C library the caller may be
// anybody.
func (h *Heat) callerUnit(stack []profile.LocationID) (unit int, ok bool) {
	mapping := h.p.Location(stack[0]).Mapping
	for _, loc := range stack[1:] {
		if h.p.Location(loc).Mapping != mapping {
			return 0, false
		}
		if u, ok := h.anchor(h.places[loc]); ok {
			return u, true
		}
	}
	return 0, false
}

// orderCandidates lists the units that may define a function's floating names,
// most likely first: the units it is asked for in anyway, those of its callers by
// the samples they called it in, and the units that include the headers, those
// named like the header first (sort.cpp for sort.h).
func (h *Heat) orderCandidates(f *Hot) {
	if len(f.floating) == 0 {
		return
	}
	for u := range f.asks {
		f.candidates = append(f.candidates, u)
	}
	slices.Sort(f.candidates)
	voted := make([]int, 0, len(f.votes))
	for u := range f.votes {
		voted = append(voted, u)
	}
	slices.SortFunc(voted, func(a, b int) int {
		return cmp.Or(-cmp.Compare(f.votes[a], f.votes[b]), cmp.Compare(a, b))
	})
	f.candidates = append(f.candidates, voted...)
	for _, header := range f.headers {
		users := slices.Clone(h.tree.users[header])
		slices.SortStableFunc(users, func(a, b int) int {
			return cmp.Compare(h.stemDiffers(a, header), h.stemDiffers(b, header))
		})
		f.candidates = append(f.candidates, users...)
	}
	seen := map[int]bool{}
	f.candidates = slices.DeleteFunc(f.candidates, func(u int) bool {
		was := seen[u]
		seen[u] = true
		return was
	})
}

func (h *Heat) stemDiffers(unit int, header string) int {
	if stem(h.tree.units[unit].File) == stem(header) {
		return 0
	}
	return 1
}

func stem(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// linkage is a function's linkage name without the suffixes that gcc and clang
// give to their copies of it: _Z1fi for _Z1fi.constprop.0. It is "" where the
// profile has only the demangled name, as f(int).
func linkage(fn *profile.Function) string {
	name := fn.SystemName
	if name == "" {
		name = fn.Name
	}
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if strings.ContainsAny(name, ":(<> ") {
		return ""
	}
	return name
}

// structor finds the number in the linkage name of a constructor or destructor
// that says which of its versions it is.
var structor = regexp.MustCompile(`[CD][0-5](E|I)`)

// variants are the names under which one compiler may define what another calls
// name. The Itanium C++ ABI has several of a constructor (C1, C2) and of a
// destructor (D0 to D2), and gcc's debug information may name one that stands for
// all: _ZN3FooC4Ei gives _ZN3FooC1Ei and _ZN3FooC2Ei too.
func variants(name string) []string {
	at := structor.FindAllStringIndex(name, -1)
	if len(at) == 0 || !strings.HasPrefix(name, "_ZN") {
		return []string{name}
	}
	i := at[len(at)-1][0] + 1 // the last: names may come before it that look alike
	out := []string{name}
	for _, v := range "012" {
		if n := name[:i] + string(v) + name[i+1:]; n != name && (v != '0' || name[i-1] == 'D') {
			out = append(out, n)
		}
	}
	return out
}

// Work is a unit with the functions to look at in it; none means all.
type Work struct {
	Unit      compdb.Unit
	Functions []string
}
