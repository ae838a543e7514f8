package dwarf

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"whyhot/internal/elfinfo/elffile"
)

func seeds(tb testing.TB) []*elffile.File {
	tb.Helper()
	paths, err := filepath.Glob("../elffile/testdata/*.elf")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no seeds: %v", err)
	}
	var out []*elffile.File
	for _, p := range paths {
		f, err := elffile.Open(p)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = f.Close() })
		out = append(out, f)
	}
	return out
}

// lookup answers for addresses, by address.
func lookup(t *testing.T, d *Info, addrs []uint64) map[uint64][]Frame {
	t.Helper()
	out := map[uint64][]Frame{}
	var mu sync.Mutex
	err := d.Lookup(context.Background(), addrs, func() func(int, []Frame) {
		return func(i int, frames []Frame) {
			mu.Lock()
			defer mu.Unlock()
			out[addrs[i]] = frames
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestScopes checks the names of functions without linkage.
func TestScopes(t *testing.T) {
	for _, f := range seeds(t) {
		d, err := Open(f, nil, f.CodeRanges())
		if err != nil {
			t.Fatal(err)
		}
		var addrs []uint64
		for _, r := range f.CodeRanges() {
			for a := r.Low; a < r.High; a++ {
				addrs = append(addrs, a)
			}
		}
		names := map[string]bool{}
		for _, frames := range lookup(t, d, addrs) {
			for _, fr := range frames {
				name := fr.Function.Symbol
				if fr.Function.Scope != "" {
					name = fr.Function.Scope + "::" + fr.Function.Name
				}
				names[name] = true
				if fr.Line > 0 && fr.File != "/src/seed.cpp" {
					t.Errorf("%s: file %q", f.Path(), fr.File)
				}
			}
		}
		for _, want := range []string{"entry", "_ZNK1n1S3getEi"} {
			if !names[want] {
				t.Errorf("%s: no %s in %v", f.Path(), want, names)
			}
		}
		// clang mangles the lambda's operator, gcc leaves it to the scope.
		if !names["entry::{lambda}::operator()"] && !names["_ZZ5entryENK3$_0clEi"] {
			t.Errorf("%s: no lambda in %v", f.Path(), names)
		}
		if p := d.Producers(); len(p) != 1 || p[0].Units != 1 || p[0].Language != "C++" {
			t.Errorf("%s: %+v", f.Path(), p)
		}
	}
}

// TestCutSections cuts every section at every tenth of its length: fewer answers,
// no panic, no endless loop.
func TestCutSections(t *testing.T) {
	for _, f := range seeds(t) {
		whole, err := load(f)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			for tenth := range 10 {
				d, err := load(f)
				if err != nil {
					t.Fatal(err)
				}
				s := section(&d.sec, i)
				*s = (*s)[:len(*s)*tenth/10]
				exercise(t, d)
			}
		}
		if len(whole.units) == 0 {
			t.Errorf("%s: no units", f.Path())
		}
	}
}

func section(s *sections, i int) *[]byte {
	return []*[]byte{&s.info, &s.abbrev, &s.line, &s.lineStr, &s.str, &s.ranges, &s.rnglists, &s.aranges, &s.addr, &s.strOffsets}[i]
}

// exercise asks about addresses all over.
func exercise(t *testing.T, d *Info) {
	t.Helper()
	d.units = nil
	d.budget.set(&d.sec)
	_ = d.readUnits()
	_ = d.readRoots()
	d.indexUnits()
	var addrs []uint64
	for a := uint64(0); a < 0x3000; a += 7 {
		addrs = append(addrs, a)
	}
	lookup(t, d, addrs)
	for _, u := range d.units {
		if u.hasCode() {
			u.answer([]uint64{0x1000}, []int32{0}, func(int, []Frame) {})
		}
	}
	d.Producers()
}

// damage overwrites bytes of the sections as edits say, four bytes an edit: the
// section, two of the offset, the value.
func damage(s *sections, edits []byte) {
	for i := range 10 {
		to := section(s, i)
		*to = bytes.Clone(*to)
	}
	for ; len(edits) >= 4; edits = edits[4:] {
		to := *section(s, int(edits[0])%10)
		if len(to) > 0 {
			to[(int(edits[1])|int(edits[2])<<8)%len(to)] = edits[3]
		}
	}
}

// TestDamagedBytes overwrites a few bytes in many ways, the same in every run.
func TestDamagedBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range seeds(t) {
		for range 1000 {
			d, err := load(f)
			if err != nil {
				t.Fatal(err)
			}
			edits := make([]byte, 4*(1+random.IntN(20)))
			for i := range edits {
				edits[i] = byte(random.Uint32())
			}
			damage(&d.sec, edits)
			exercise(t, d)
		}
	}
}

func FuzzLookup(f *testing.F) {
	files := seeds(f)
	for i := range files {
		f.Add(uint8(i), []byte{0, 20, 0, 255, 2, 4, 0, 1})
	}
	f.Fuzz(func(t *testing.T, seed uint8, edits []byte) {
		d, err := load(files[int(seed)%len(files)])
		if err != nil {
			t.Fatal(err)
		}
		damage(&d.sec, edits)
		d.alt = d // references to a shared file find something
		exercise(t, d)
	})
}
