package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
)

// Of a file that was typed, its labels are offered.
func TestLabelsOfTheTypedFileAreOffered(t *testing.T) {
	b := profile.NewBuilder()
	work := b.Function(profile.Function{Name: "work", Kind: profile.KindGo})
	stack := b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindGo, profile.Line{Function: work})})
	for _, pod := range []string{"web-1", "web-2", "db"} {
		b.Sample(profile.Sample{Stack: stack, Labels: b.Labels([]profile.Label{{Key: "pod", Str: pod}}), Count: 1, Value: 1})
	}
	path := filepath.Join(t.TempDir(), "a.pb.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.Write(f, b.Build(profile.Meta{ValueType: profile.ValueType{Type: "samples", Unit: "count"}})); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var load loadFlags
	args := []string{path}
	if got := load.keys(t.Context(), args); !slices.Contains(got, "pod") {
		t.Errorf("keys %q", got)
	}
	if got := beginning(load.values(t.Context(), args, "pod"), "web"); !slices.Equal(got, []string{"web-1", "web-2"}) {
		t.Errorf("values %q", got)
	}
	if got := load.keys(t.Context(), []string{filepath.Join(t.TempDir(), "none")}); got != nil {
		t.Errorf("of a file that is missing: %q", got)
	}
}
