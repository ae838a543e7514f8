package surprise

import (
	"path"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// Window is what ran in some time, or in some service.
type Window struct {
	Name   string // as a sentence calls it: "web", "22 Nov 10:00"
	Total  int64
	Events int64 // that the values are worth, for sampling errors

	rows map[functionKey]*row
}

type functionKey struct{ name, library string }

type row struct {
	family string
	self   int64
}

// Add counts what runs in a function itself. binary is its file, family as the
// catalogue groups it. Total counts all that was added, named or not.
func (w *Window) Add(name, binary, family string, self int64) {
	if self <= 0 {
		return
	}
	if w.rows == nil {
		w.rows = map[functionKey]*row{}
	}
	w.Total += self
	key := functionKey{name, libraryName(binary)}
	if r := w.rows[key]; r != nil {
		r.self += self
		return
	}
	if family == catalog.NoFamily {
		family = ""
	}
	w.rows[key] = &row{family, self}
}

// Measure makes the window of a profile.
func Measure(name string, p *profile.Profile, families view.Grouper) Window {
	w := Window{Name: name, Events: view.Events(p)}
	for _, r := range view.Top(p, view.TopOptions{}).Rows {
		f := p.Function(r.Function)
		m := p.Mapping(f.Mapping)
		family := ""
		if Grouped(r.Self, p.Total()) {
			family = families.Group(f, m)
		}
		w.Add(f.Name, m.Path, family, r.Self)
	}
	return w
}

// Grouped says whether a function weighs enough to be asked for its family: its name is
// held against hundreds of patterns, and of a large program most functions are tiny.
func Grouped(self, total int64) bool {
	const parts = 10_000
	return self > 0 && self >= total/parts
}

// libraryName is a file without directories and without what follows ".so": the part
// that two builds share.
func libraryName(file string) string {
	if file == "" || strings.HasPrefix(file, "[") {
		return file
	}
	name := path.Base(file)
	if i := strings.Index(name, ".so."); i > 0 {
		name = name[:i+len(".so")]
	}
	return name
}

// thing is what a surprise can be about. Of a library and a family the name is all.
type thing struct{ kind, name, library string }

// things are the function, the library and the family of a row, those that have a name.
func (k functionKey) things(r *row, each func(thing)) {
	if k.name != "" {
		each(thing{kindFunction, k.name, k.library})
	}
	if k.library != "" {
		each(thing{kindLibrary, k.library, ""})
	}
	if r.family != "" {
		each(thing{kindFamily, r.family, ""})
	}
}

// sums are the weights of all things of a window, without the rows that are taken out.
func (w *Window) sums(out map[functionKey]bool) (sums map[thing]int64, total int64) {
	sums = make(map[thing]int64, len(w.rows))
	for key, r := range w.rows {
		if out[key] {
			continue
		}
		total += r.self
		key.things(r, func(t thing) { sums[t] += r.self })
	}
	return sums, total
}

// events are those that a part of the window is worth.
func (w *Window) events(part int64) float64 {
	if w.Total == 0 {
		return 0
	}
	return float64(w.Events) * float64(part) / float64(w.Total)
}

// rowsOf adds to out what belongs to a thing.
func (w *Window) rowsOf(t thing, out map[functionKey]bool) {
	for key, r := range w.rows {
		key.things(r, func(of thing) {
			if of == t {
				out[key] = true
			}
		})
	}
}
