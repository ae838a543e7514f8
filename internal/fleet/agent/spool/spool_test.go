package spool

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func open(t *testing.T, dir string, limit int64) *Spool {
	t.Helper()
	s, err := Open(dir, limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func put(t *testing.T, s *Spool, text string, samples int64) {
	t.Helper()
	if err := s.Put([]byte(text), samples); err != nil {
		t.Fatal(err)
	}
}

// take gives the oldest batch's text and removes it; "" where there is none.
func take(t *testing.T, s *Spool) (text, id string) {
	t.Helper()
	b, data, ok, err := s.Oldest()
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return "", ""
	}
	if err := s.Done(b, true); err != nil {
		t.Fatal(err)
	}
	return string(data), b.ID
}

func TestBatchesSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	put(t, s, "one", 1)
	put(t, s, "two", 2)
	b, _, _, err := s.Oldest()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, tempName), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, 1<<20)
	if got := s.Stats(); got.Batches != 2 || got.Samples != 3 {
		t.Fatalf("%+v", got)
	}
	put(t, s, "three", 3)
	if text, id := take(t, s); text != "one" || id != b.ID {
		t.Errorf("%q, %q; it was %q", text, id, b.ID)
	}
	for _, want := range []string{"two", "three", ""} {
		if text, _ := take(t, s); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, 100)
	if _, err := Open(dir, 100); err == nil {
		t.Error("opened twice")
	}
}

func TestDamageIsSeenAndCounted(t *testing.T) {
	whole := []byte("some batch")
	for name, damage := range map[string]func([]byte) []byte{
		"cut":     func(b []byte) []byte { return b[:len(b)-1] },
		"longer":  func(b []byte) []byte { return append(b, 0) },
		"flipped": func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"zeroed":  func(b []byte) []byte { return make([]byte, len(b)) },
		"empty":   func([]byte) []byte { return nil },
		"version": func(b []byte) []byte { b[3]++; return b },
	} {
		dir := t.TempDir()
		s := open(t, dir, 1<<20)
		put(t, s, string(whole), 5)
		put(t, s, "next", 1)
		file := filepath.Join(dir, s.batches[0].name())
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, damage(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, _ := take(t, s); text != "next" {
			t.Errorf("%s: %q", name, text)
		}
		if got := s.Stats(); got.Damaged != (Loss{1, 5}) || got.Bytes != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFilesOfOthersStay(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"readme", "x.batch", "0.a.1.batch", "1..1.batch", "1.a.-1.batch"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := open(t, dir, 10).Stats(); got.Batches != 0 {
		t.Errorf("%+v", got)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 6 {
		t.Errorf("%v", names)
	}
}

// Whatever is put, taken, given back and restarted: each sample was delivered, is
// there, or was counted as dropped; the bound holds, and the order stays.
func TestEverySampleIsAccountedFor(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "") //nolint:usetesting // one for each of many checks in one test
		if err != nil {
			r.Fatal(err)
		}
		const limit = 200
		s, err := Open(dir, limit)
		if err != nil {
			r.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		var made, delivered, dropped int64
		var order []int64
		r.Repeat(map[string]func(*rapid.T){
			"put": func(r *rapid.T) {
				data := bytes.Repeat([]byte{1}, rapid.IntRange(0, 100).Draw(r, "size"))
				made++
				if err := s.Put(data, made); err != nil {
					r.Fatal(err)
				}
			},
			"take": func(r *rapid.T) {
				b, _, ok, err := s.Oldest()
				if err != nil {
					r.Fatal(err)
				}
				if !ok {
					return
				}
				keep := rapid.Bool().Draw(r, "keep")
				if err := s.Put([]byte("meanwhile"), made+1); err != nil {
					r.Fatal(err)
				}
				made++
				if err := s.Done(b, !keep); err != nil {
					r.Fatal(err)
				}
				if !keep {
					delivered += b.Samples
					order = append(order, b.Samples)
				}
			},
			"restart": func(r *rapid.T) {
				dropped += s.Stats().Dropped.Samples
				if err := s.Close(); err != nil {
					r.Fatal(err)
				}
				if s, err = Open(dir, limit); err != nil {
					r.Fatal(err)
				}
			},
			"": func(r *rapid.T) {
				got := s.Stats()
				if sum := delivered + dropped + got.Dropped.Samples + got.Samples; sum != made*(made+1)/2 {
					r.Fatalf("%d samples of %d", sum, made*(made+1)/2)
				}
				if got.Bytes > limit || !slices.IsSorted(order) {
					r.Fatalf("%d bytes, order %v", got.Bytes, order)
				}
			},
		})
	})
}
