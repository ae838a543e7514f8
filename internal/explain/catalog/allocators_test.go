package catalog

import (
	"slices"
	"strings"
	"testing"

	"whyhot/internal/host/allocator"
)

// What entries say of allocators is what the table of them says: the names to
// preload, their packages, and, wherever one is recognised, all are.
func TestEntriesSpeakOfTheAllocatorsInTheTable(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var libraries, mallocs []string
	for _, a := range allocator.Known() {
		mallocs = append(mallocs, a.Mallocs...)
		for _, g := range a.Libraries() {
			libraries = append(libraries, strings.NewReplacer("[0-9]", "2", "*", "").Replace(g))
		}
	}
	candidates := 0
	for _, e := range c.Entries {
		for _, cand := range e.Candidates {
			if cand.Preload == "" {
				continue
			}
			candidates++
			a, ok := allocator.ByName(cand.Preload)
			if !ok || !a.Preloadable() {
				t.Errorf("%s: %s is no library to preload; known are %v", e.ID, cand.Preload, allocator.Names())
				continue
			}
			if cand.Name != a.Name || cand.Package != a.Package {
				t.Errorf("%s: %s in package %q, but the table has %s in %q", e.ID, cand.Name, cand.Package, a.Name, a.Package)
			}
		}
		allOrNone(t, e.ID+": unless.mapped_library", e.Unless.MappedLibrary, libraries)
		for _, f := range e.Unless.Frames {
			allOrNone(t, e.ID+": unless.frames.name", f.Name, mallocs)
		}
		for _, q := range e.Confirm {
			allOrNone(t, e.ID+": confirm.not_needed", q.NotNeed, libraries)
			allOrNone(t, e.ID+": confirm.lacks", q.Lacks, mallocs)
		}
	}
	if candidates == 0 {
		t.Error("no entry proposes an allocator to preload")
	}
	for _, f := range c.Families {
		for _, fr := range f.Any {
			allOrNone(t, "family "+f.Name+": library", fr.Library, libraries)
			allOrNone(t, "family "+f.Name+": name", fr.Name, mallocs)
		}
	}
}

func allOrNone(t *testing.T, where string, patterns []Pattern, names []string) {
	t.Helper()
	missed := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return MatchAny(patterns, n) })
	if len(missed) > 0 && len(missed) < len(names) {
		t.Errorf("%s recognises some allocators, but not %s", where, strings.Join(missed, ", "))
	}
}
