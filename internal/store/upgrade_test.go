//go:build cgo

package store

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"whyhot/internal/store/batch"
)

var keepStore = flag.String("keep-store", "", "write a store of this version to testdata/`NAME`.tar.gz, with its answers in NAME.json: before a change of what is on disk")

// answersOf are what every later version has to read from a kept store.
type answersOf struct {
	Totals    map[string]int64    `json:"totals"`    // by condition, in samples
	Functions map[string][2]int64 `json:"functions"` // self and total
}

func readAnswers(t *testing.T, s *Store) answersOf {
	t.Helper()
	out := answersOf{Totals: map[string]int64{}, Functions: map[string][2]int64{}}
	for _, text := range []string{``, `service="web"`, `service="batch"`, `version="2"`, `host=~"h.*"`, `pod=~"web-.*"`, `thread="gc"`, `thread=""`} {
		sel := lastDay()
		if text != "" {
			sel.Where = condition(t, text)
		}
		out.Totals[text] = total(t, s, sel)
	}
	top, err := s.Top(t.Context(), lastDay(), TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range top.Rows {
		out.Functions[r.Function.key()] = [2]int64{r.Self, r.Total}
	}
	return out
}

// Stores of versions that were kept are opened, give the numbers that they gave then, take
// more, and keep giving them after they were aged and compacted.
func TestKeptStores(t *testing.T) {
	if *keepStore != "" {
		writeKept(t, *keepStore)
	}
	kept, err := filepath.Glob("testdata/*.json")
	if err != nil || len(kept) == 0 {
		t.Fatalf("no store is kept: %v", err)
	}
	for _, path := range kept {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want answersOf
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			unpack(t, strings.TrimSuffix(path, ".json")+".tar.gz", dir)
			for round := range 3 { // opened again, since a store that is open keeps its last answers for a while
				s, err := Open(t.Context(), dir, openDuckDB, quick(Options{}))
				if err != nil {
					t.Fatal(err)
				}
				flush(t, s)
				if got := readAnswers(t, s); !reflect.DeepEqual(got, want) {
					t.Errorf("round %d: %+v, and it was %+v", round, got, want)
				}
				if err := s.Age(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := s.Compact(t.Context()); err != nil {
					t.Fatal(err)
				}
				closeStore(t, s)
			}
			s, err := Open(t.Context(), dir, openDuckDB, quick(Options{}))
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, s)
			appendProfile(t, s, labelled(testNow.Add(-time.Hour), map[string]int64{"thread=new": 5}), batch.Options{Labels: batch.Labels{Service: "new"}})
			flush(t, s)
			if got := total(t, s, lastDay()); got != want.Totals[""]+5 {
				t.Errorf("%d samples after 5 more than %d", got, want.Totals[""])
			}
		})
	}
}

// writeKept makes a store as a server leaves it: rows in tables, and some in the journal.
func writeKept(t *testing.T, name string) {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, openDuckDB, quick(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	appendProfile(t, s, simple(map[string]int64{"main;parse;malloc": 300, "main;parse": 200, "main": 7}),
		batch.Options{Labels: batch.Labels{Service: "web", Version: "1", Host: "h1"}})
	appendProfile(t, s, labelled(testNow.Add(-2*time.Hour), map[string]int64{"k8s.pod.name=web-1 thread=gc": 11, "k8s.pod.name=web-2": 31}),
		batch.Options{Labels: batch.Labels{Service: "web", Version: "2", Host: "h2", Container: "c"}})
	flush(t, s)
	appendProfile(t, s, labelled(testNow.Add(-10*time.Hour), map[string]int64{"thread=main": 101}),
		batch.Options{Labels: batch.Labels{Service: "batch", Host: "other"}})
	closeStore(t, s)
	writeTar(t, dir, "testdata/"+name+".tar.gz")

	copied := t.TempDir()
	unpack(t, "testdata/"+name+".tar.gz", copied)
	if s, err = Open(t.Context(), copied, openDuckDB, quick(Options{})); err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	flush(t, s)
	text, err := json.MarshalIndent(readAnswers(t, s), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/"+name+".json", append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

func writeTar(t *testing.T, dir, name string) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z := gzip.NewWriter(file)
	out := tar.NewWriter(z)
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		data := []byte(nil)
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		head := &tar.Header{Name: rel, Mode: 0o600, Typeflag: tar.TypeReg}
		if e.IsDir() {
			head.Typeflag, head.Name = tar.TypeDir, rel+"/"
		} else {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
			head.Size = int64(len(data))
		}
		if err := out.WriteHeader(head); err != nil {
			return err
		}
		_, err = out.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []interface{ Close() error }{out, z} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
