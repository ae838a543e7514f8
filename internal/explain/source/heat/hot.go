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
	// those of what was inlined into it, which another compiler may leave out of
	// line. "" asks for the whole unit.
	asks map[int]map[string]bool
	// floating are names of functions in headers; candidates the units that may
	// define them, most likely first.
	floating   map[string]bool
	candidates []int
	votes      map[int]int64
	headers    []string
}

type hotKey struct{ symbol, file, binary string }

// rankFunctions collects the hot functions, hottest first.
//
// A frame's unit is the one whose main file the frame, or the nearest function
// around it that it was inlined into, is written in. Where that gives none (a
// template or an inline function of a header that stands out of line), the unit
// of the nearest caller has it: who calls an inline function must have its
// definition. Only what no caller explains is looked for in the units that
// include the header.
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

// callerUnit is the unit of the nearest caller in the same binary that has one.
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

// linkage is the name that a compiler gives a function: without what gcc or
// clang append to a copy of it. "" where the profile has only the name for
// people.
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

// variants are the names under which a compiler may define what another calls
// name: of constructors and destructors there are several, and debug
// information names one that stands for all.
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
