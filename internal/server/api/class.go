package api

import (
	"cmp"
	"slices"
	"sync"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
	"whyhot/internal/store"
)

// originOf says whose code a function is.
func originOf(f *store.Function) origin.Origin { return origin.OfFunction(asProfile(f), f.Binary) }

// asProfile is a function as those who judge one take it.
func asProfile(f *store.Function) *profile.Function {
	return &profile.Function{Name: f.Name, SystemName: f.System, File: f.File, StartLine: f.StartLine, Kind: f.Kind}
}

// class is what a table of functions is narrowed by.
type class struct{ origin, family string }

// maxClasses bounds what is remembered: some 100 bytes each.
const maxClasses = 1 << 20

// classes remembers the class of each function: its name is held against hundreds of
// patterns, which takes 0.1 ms or more for a long one of C++, and a table has the same
// functions each time.
type classes struct {
	mu       sync.Mutex
	families *rule.Families
	known    map[store.Function]class
}

// builtinRules is the catalogue. It is part of the program, and takes longer to read than
// an answer may.
var builtinRules = sync.OnceValues(catalog.Builtin)

// allClasses are those of every project.
var allClasses = sync.OnceValues(func() (*classes, error) {
	cat, err := builtinRules()
	if err != nil {
		return nil, err
	}
	return &classes{families: rule.NewFamilies(cat), known: map[store.Function]class{}}, nil
})

func (c *classes) of(f *store.Function) class {
	key := *f
	key.ID = 0 // the same in every project
	c.mu.Lock()
	defer c.mu.Unlock()
	if one, there := c.known[key]; there {
		return one
	}
	if len(c.known) >= maxClasses {
		clear(c.known)
	}
	one := class{originOf(f).String(), c.families.Group(asProfile(f), &profile.Mapping{Path: f.Binary, BuildID: f.BuildID})}
	c.known[key] = one
	return one
}

// sums adds up weights by name.
type sums map[string]int64

// forms are the names by falling weight.
func (s sums) forms() []classForm {
	out := make([]classForm, 0, len(s))
	for name, self := range s {
		out = append(out, classForm{name, self})
	}
	slices.SortFunc(out, func(a, b classForm) int { return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(a.Name, b.Name)) })
	return out
}
