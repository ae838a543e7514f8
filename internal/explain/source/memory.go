package source

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/finding"
)

// What explain and scan found is kept beside the analyser's answers, so that who comes
// next with an id or a line is not asked to analyse the build again: a request for the
// hot functions of a unit and one for all of it have different answers in the cache.

// memory names what is kept of a build.
func (b *Build) memory() string {
	if b.dir == "" && len(b.units) > 0 {
		return "findings of " + strings.Join(b.units[0].Arguments, " ") + " in " + b.units[0].Directory
	}
	dir, err := filepath.Abs(b.dir)
	if err != nil {
		dir = b.dir
	}
	return "findings in " + dir
}

// keep remembers findings; that it could not is a note, and costs the next command time.
func (b *Build) keep(start time.Time, found []finding.Finding, o Options) []string {
	cache, err := o.Cache()
	if err == nil {
		err = b.remember(cache, start, found)
	}
	if err != nil {
		return []string{"the findings could not be kept for the next command: " + err.Error()}
	}
	return nil
}

// remember keeps findings, with those of earlier runs whose files are as they were.
func (b *Build) remember(cache *analyzer.Cache, start time.Time, found []finding.Finding) error {
	if cache == nil || len(found) == 0 {
		return nil
	}
	known := map[string]bool{}
	keep := make([]finding.Finding, 0, len(found))
	for _, f := range found {
		known[f.ID] = true
		f.Source = nil
		keep = append(keep, f)
	}
	earlier, _ := b.recall(cache)
	for _, f := range earlier {
		if !known[f.ID] {
			keep = append(keep, f)
		}
	}
	var files []string
	if b.dir != "" {
		files = append(files, filepath.Join(b.dir, database))
	}
	for _, f := range keep {
		if f.Place.File != "" && !slices.Contains(files, f.Place.File) {
			files = append(files, f.Place.File)
		}
	}
	return cache.Note(b.memory(), start, files, keep)
}

// recall gives what was found before: as things are, and of files that have changed
// since, whose lines are no longer to be relied on.
func (b *Build) recall(cache *analyzer.Cache) (now, old []finding.Finding) {
	var all []finding.Finding
	changed, ok := cache.Recall(b.memory(), &all)
	if !ok {
		return nil, nil
	}
	rebuilt := slices.Contains(changed, filepath.Join(b.dir, database))
	for _, f := range all {
		if rebuilt || slices.Contains(changed, f.Place.File) {
			old = append(old, f)
		} else {
			now = append(now, f)
		}
	}
	return now, old
}

// Find gives the finding with an id: from what was found before, else by a scan of the
// units that it was in, else of all; nil where none has it, with what the scan found.
func (b *Build) Find(ctx context.Context, id string, o Options) (found *finding.Finding, all []finding.Finding, err error) {
	cache, err := o.Cache()
	if err != nil {
		return nil, nil, err
	}
	with := func(fs []finding.Finding) *finding.Finding {
		if i := slices.IndexFunc(fs, func(f finding.Finding) bool { return f.ID == id }); i >= 0 {
			return &fs[i]
		}
		return nil
	}
	now, old := b.recall(cache)
	if f := with(now); f != nil {
		return f, nil, nil
	}
	if f := with(old); f != nil {
		a, err := b.Including(f.Place.File, o).Scan(ctx, nil, true, o)
		if f := with(a.Findings); f != nil || err != nil {
			return f, nil, err
		}
	}
	a, err := b.Scan(ctx, nil, true, o)
	return with(a.Findings), a.Findings, err
}

// At gives the findings of a line, the nearest first: those that begin on it, then those
// around it. They are what was found before, or with a scan what the units with the file
// have.
func (b *Build) At(ctx context.Context, at finding.Line, scan bool, o Options) ([]finding.Finding, error) {
	cache, err := o.Cache()
	if err != nil {
		return nil, err
	}
	now, _ := b.recall(cache)
	if found := around(now, at); len(found) > 0 || !scan {
		return found, nil
	}
	// What explain and scan ask for by default first: it may be answered already.
	every := o
	every.Stores, every.Remarks = Stores(), true
	for _, o := range []Options{o, every} {
		a, err := b.Including(at.File, o).Scan(ctx, nil, true, o)
		if found := around(a.Findings, at); len(found) > 0 || err != nil {
			return found, err
		}
	}
	return nil, nil
}

func around(fs []finding.Finding, at finding.Line) []finding.Finding {
	var out []finding.Finding
	for _, f := range fs {
		if Names(at.File, f.Place.File) && f.Place.Line <= at.Line && at.Line <= max(f.Place.Line, f.Place.EndLine) {
			out = append(out, f)
		}
	}
	certain := func(f finding.Finding) int {
		return slices.Index([]finding.Certainty{finding.Suspected, finding.Confirmed}, f.Certainty)
	}
	slices.SortStableFunc(out, func(a, b finding.Finding) int {
		if a.Place.Line != b.Place.Line {
			return b.Place.Line - a.Place.Line
		}
		return certain(b) - certain(a)
	})
	return out
}

// Including is the build with the units that have a file alone: the unit of a source
// file, and of a header those that include it. A unit of which nobody knows counts.
func (b *Build) Including(file string, o Options) *Build {
	cache, err := o.Cache()
	if err != nil {
		return b
	}
	units := slices.DeleteFunc(slices.Clone(b.units), func(u compdb.Unit) bool { return !Names(file, u.File) })
	if len(units) == 0 {
		includes := compdb.NewIncludes()
		meant := func(f string) bool { return Names(file, f) }
		units = slices.DeleteFunc(slices.Clone(b.units), func(u compdb.Unit) bool {
			reads, known := cache.Reads(u, meant)
			if !known {
				reads, known = includes.Reads(u, meant)
			}
			return known && !reads
		})
	}
	if len(units) == 0 {
		return b
	}
	return &Build{dir: b.dir, units: units}
}
