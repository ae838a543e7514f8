//go:build cgo

package store

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"whyhot/internal/profile/label"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
)

var keepStore = flag.Bool("keep-store", false, "write testdata/schema-N: a store of this version, and what it answers")

// keptAnswers are what a kept store said when it was written.
type keptAnswers struct {
	Count     int64                       `json:"count"`
	Functions []string                    `json:"functions"` // with self and total
	Labels    map[string]map[string]int64 `json:"labels"`
	Timeline  []int64                     `json:"timeline"`
	Documents []string                    `json:"documents"`
	Where     int64                       `json:"where"`
}

func answersOf(t *testing.T, s *Store) string {
	t.Helper()
	sel := lastDay()
	sel.Exact = true
	var a keptAnswers
	top, err := s.Top(t.Context(), sel, TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a.Count = top.Basis.Count
	for _, r := range top.Rows {
		a.Functions = append(a.Functions, fmt.Sprintf("%s in %s: %d, %d", r.Function.Name, r.Function.Binary, r.Self, r.Total))
	}
	a.Labels = map[string]map[string]int64{}
	for _, d := range []Dimension{ByService, ByVersion, ByHost, ByContainer, ByProcess, "environment", "thread"} {
		values, err := s.Labels(t.Context(), sel, d)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]int64{}
		for _, v := range values {
			of[v.Value] = v.Weight
		}
		a.Labels[string(d)] = of
	}
	line, err := s.Timeline(t.Context(), sel, "", time.Hour, 1)
	if err != nil {
		t.Fatal(err)
	}
	a.Timeline = line.Lines[0].Weight
	for _, d := range s.Documents("kept") {
		a.Documents = append(a.Documents, d.Key+": "+string(d.Body))
	}
	sel.Where = condition(t, `thread="main"`)
	a.Where = total(t, s, sel)
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// keptBatch is one of the batches of a kept store, the same whenever it is made.
func keptBatch(t *testing.T, s *Store, n int) {
	t.Helper()
	p := rapid.Custom(drawn).Example(n)
	p.Meta.Start = testNow.Add(-time.Duration(n) * time.Hour)
	labels := batch.Labels{
		Service: fmt.Sprintf("service-%d", n%3), Version: fmt.Sprint(n % 2), Host: "host", Container: "c", Process: "p",
		Tags: label.Of([]label.Pair{{Key: "environment", Value: "live"}}),
	}
	appendProfile(t, s, p, batch.Options{ID: fmt.Sprint("drawn-", n), Labels: labels})
	appendProfile(t, s, labelled(p.Meta.Start, map[string]int64{"thread=main": 5, "thread=worker": 3}), batch.Options{ID: fmt.Sprint("labelled-", n), Labels: labels})
}

const keptBatches = 6

// A store that an earlier version wrote opens, and answers what it answered then: at once,
// with more in it, after compacting and aging, and when it is opened again. It was not
// closed: half of it was in the tables, half in the journal alone. Every version of the
// schema has one; a kept store is never written anew.
func TestStoresOfEarlierVersions(t *testing.T) {
	name := fmt.Sprintf("testdata/schema-%d", engine.Version)
	if *keepStore {
		if _, err := os.Stat(name + ".tar.gz"); err == nil {
			t.Fatalf("%s.tar.gz is there: what an earlier program wrote is what it is for", name)
		}
		writeKeptStore(t, name)
	}
	kept, err := filepath.Glob("testdata/schema-*.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name + ".tar.gz"); err != nil {
		t.Errorf("no store of this schema is kept: `CGO_ENABLED=1 go test ./internal/store -run EarlierVersions -keep-store` writes one (%v)", err)
	}
	for _, archive := range kept {
		t.Run(filepath.Base(archive), func(t *testing.T) {
			text, err := os.ReadFile(archive[:len(archive)-len(".tar.gz")] + ".json")
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			unpack(t, archive, dir)
			for round := range 2 {
				s, err := Open(t.Context(), dir, openDuckDB, quick(Options{}))
				if err != nil {
					t.Fatal(err)
				}
				same := func(when string) {
					if got := answersOf(t, s); got != string(text) {
						t.Errorf("opened %d times, %s:\n%s\nnot\n%s", round+1, when, got, text)
					}
				}
				flush(t, s)
				same("at once")
				keptBatch(t, s, keptBatches-1) // what it has, again: it counts once
				keptBatch(t, s, 1)
				flush(t, s)
				same("with batches that it had")
				if err := s.Compact(t.Context()); err != nil {
					t.Fatal(err)
				}
				same("compacted")
				if err := s.Age(t.Context()); err != nil {
					t.Fatal(err)
				}
				same("aged")
				closeStore(t, s)
			}
			// It goes on.
			s, err := Open(t.Context(), dir, openDuckDB, quick(Options{}))
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, s)
			// Nothing was asked of this one: with a clock that stands still, an answer is never old.
			appendProfile(t, s, labelled(testNow.Add(-time.Hour), map[string]int64{"thread=main": 7}), batch.Options{ID: "new", Labels: batch.Labels{Service: "service-0"}})
			flush(t, s)
			var kept keptAnswers
			if err := json.Unmarshal(text, &kept); err != nil {
				t.Fatal(err)
			}
			if got := total(t, s, lastDay()); got != kept.Count+7 {
				t.Errorf("with 7 more it has %d, not %d", got, kept.Count+7)
			}
		})
	}
}

// writeKeptStore packs the directory of a store as it is while the store runs, as a
// machine that loses power leaves it.
func writeKeptStore(t *testing.T, name string) {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, openDuckDB, quick(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for n := range keptBatches {
		if n == keptBatches/2 {
			flush(t, s)
			closeStore(t, s)
			o := quick(Options{})
			o.Journal.SegmentAge = time.Hour // the rest stays in the journal
			if s, err = Open(t.Context(), dir, openDuckDB, o); err != nil {
				t.Fatal(err)
			}
		}
		keptBatch(t, s, n)
		if err := s.PutDocument(t.Context(), "kept", fmt.Sprint(n), []byte("document")); err != nil {
			t.Fatal(err)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	out := tar.NewWriter(z)
	if err := out.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.Closer{out, z} {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, s)
	if s, err = Open(t.Context(), dir, openDuckDB, quick(Options{})); err != nil {
		t.Fatal(err)
	}
	flush(t, s)
	text := answersOf(t, s)
	closeStore(t, s)
	for path, data := range map[string][]byte{name + ".tar.gz": packed.Bytes(), name + ".json": []byte(text)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
