package api

import (
	"cmp"
	"slices"
	"sync"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/rule"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
	"whyhot/internal/store"
)

// knownOrigins are those of the functions that were asked about.
var knownOrigins remembered[origin.Origin]

// originOf says whose code a function is, as `whyhot top --own` does.
func originOf(f *store.Function) origin.Origin {
	return knownOrigins.of(f, func(f *store.Function) origin.Origin { return ownline.OfFunction(asProfile(f), f.Binary) })
}

// asProfile is a function as those who judge one take it.
func asProfile(f *store.Function) *profile.Function {
	return &profile.Function{Name: f.Name, SystemName: f.System, File: f.File, StartLine: f.StartLine, Kind: f.Kind}
}

// class is what a table of functions is narrowed by.
type class struct{ origin, family string }

// maxRemembered bounds what is remembered of functions: some 100 bytes each.
const maxRemembered = 1 << 20

// remembered is what was found out about functions by their names, which takes longer than to
// look it up: a table has the same functions each time.
type remembered[V any] struct {
	mu    sync.Mutex
	known map[store.Function]V
}

func (r *remembered[V]) of(f *store.Function, find func(f *store.Function) V) V {
	key := *f
	key.ID = 0 // the same in every project
	r.mu.Lock()
	defer r.mu.Unlock()
	if one, there := r.known[key]; there {
		return one
	}
	if r.known == nil || len(r.known) >= maxRemembered {
		r.known = map[store.Function]V{}
	}
	one := find(f)
	r.known[key] = one
	return one
}

// classes remembers the class of each function: its name is held against hundreds of
// patterns, which takes 0.1 ms or more for a long one of C++.
type classes struct {
	families   *rule.Families
	remembered remembered[class]
}

func isOwn(f *store.Function) bool { return originOf(f) == origin.Own }

// builtinRules is the catalogue. It is part of the program, and takes longer to read than
// an answer may.
var builtinRules = sync.OnceValues(catalog.Builtin)

// allClasses are those of every project.
var allClasses = sync.OnceValues(func() (*classes, error) {
	cat, err := builtinRules()
	if err != nil {
		return nil, err
	}
	return &classes{families: rule.NewFamilies(cat)}, nil
})

func (c *classes) of(f *store.Function) class {
	return c.remembered.of(f, func(f *store.Function) class {
		return class{originOf(f).String(), c.families.Group(asProfile(f), &profile.Mapping{Path: f.Binary, BuildID: f.BuildID})}
	})
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
