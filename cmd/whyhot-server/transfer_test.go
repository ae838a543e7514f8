//go:build cgo

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/duckdb"
)

// A project that was exported is another one after the import, with the same samples;
// what is no whole export leaves nothing.
func TestExportAndImport(t *testing.T) {
	data := t.TempDir()
	openStore := func(name string) *store.Store {
		s, err := store.Open(t.Context(), project.Dir(data, name), func(_ context.Context, dir string) (engine.Engine, error) {
			return duckdb.Open(dir, duckdb.Options{})
		}, store.Options{Names: store.NameOptions{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	b := profile.NewBuilder()
	main := b.Location(0, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "main"})})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{main}), Count: 42, Value: 42e7})
	made, err := batch.FromProfile(b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}}), batch.Options{Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	s := openStore("default")
	if _, err := s.Append(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(data, "all.whyhot")
	if out, _, err := run(t, "store", "export", "--data", data, file); err != nil || !strings.Contains(out, "rows of project default") {
		t.Fatalf("%q %v", out, err)
	}
	if _, _, err := run(t, "store", "import", "--data", data, "--project", "copy", file); err != nil {
		t.Fatal(err)
	}
	copied := openStore("copy")
	top, err := copied.Top(t.Context(), store.Selection{From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}, store.TopOptions{})
	if err != nil || top.Basis.Count != 42 {
		t.Errorf("%+v, %v", top, err)
	}
	if err := copied.Close(); err != nil {
		t.Error(err)
	}
	if out, _, err := run(t, "store", "compact", "--data", data, "--project", "copy"); err != nil || !strings.Contains(out, "1 stacks, 1 functions, 1 series") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, _, err := run(t, "store", "import", "--data", data, "--project", "copy", file); err == nil {
		t.Error("a project with profiles was imported into")
	}
	for _, name := range []string{"stats", "compact"} {
		if _, _, err := run(t, "store", name, "--data", data, "--project", "copi"); err == nil || !strings.Contains(err.Error(), "no project copi") {
			t.Errorf("%s of a project that is not there: %v", name, err)
		}
	}
	if _, err := os.Stat(project.Dir(data, "copi")); err == nil {
		t.Error("a name that was mistyped is a project")
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run(t, "store", "import", "--data", data, "--project", "half", file); err == nil {
		t.Error("half an export was imported")
	}
	if _, err := os.Stat(project.Dir(data, "half")); err == nil {
		t.Error("half an export left a project")
	}
	if _, _, err := run(t, "store", "export", "--data", data, "--project", "none", file); err == nil {
		t.Error("a project that is not there was exported")
	}
}
