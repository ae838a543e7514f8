package rule

import (
	"whyhot/internal/explain/catalog"
	"whyhot/internal/profile"
)

// Families groups functions by what they do: a cost that is spread over a
// hundred names is one line of `top --by family`. It is for one goroutine.
type Families struct {
	names  []string
	lookup *lookup
}

// NewFamilies compiles the families of a catalogue. Where two match, the one
// that is listed first wins.
func NewFamilies(cat *catalog.Catalog) *Families {
	x := newIndex()
	f := &Families{}
	for i := range cat.Families {
		if x.add(cat.Families[i].Any) != noSet {
			f.names = append(f.names, cat.Families[i].Name)
		}
	}
	f.lookup = x.lookup()
	return f
}

// Group names the family of a function in its binary: "kernel" for kernel code
// that no family claims, catalog.NoFamily for
// the rest.
func (f *Families) Group(fn *profile.Function, m *profile.Mapping) string {
	fr := normalize(fn, m)
	best := setID(len(f.names))
	for _, s := range f.lookup.sets(&fr) {
		best = min(best, s)
	}
	switch {
	case int(best) < len(f.names):
		return f.names[best]
	case fn.Kind == profile.KindKernel:
		return "kernel"
	default:
		return catalog.NoFamily
	}
}
