package store

import (
	"context"
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/profile"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine/memory"
	"whyhot/internal/symbol"
)

//go:noinline
func here() uintptr {
	var pc [1]uintptr
	runtime.Callers(1, pc[:])
	return pc[0] - 1
}

// offsetOf is where in this program's file the code at an address is.
func offsetOf(t *testing.T, path string, pc uintptr) uint64 {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, p := range f.Progs {
		if at := uint64(pc); p.Type == elf.PT_LOAD && p.Vaddr <= at && at < p.Vaddr+p.Filesz {
			return at - p.Vaddr + p.Off
		}
	}
	t.Skip("this program is not where its file says")
	return 0
}

// Addresses that were stored without a name get one when the debug information comes,
// also after a restart; and they are looked up once. That it came is told, or found out,
// also when it is found while it is being copied.
func TestNamesComeLater(t *testing.T) {
	t.Run("told", func(t *testing.T) { namesComeLater(t, true, false, false) })
	t.Run("told, and elsewhere", func(t *testing.T) { namesComeLater(t, true, false, true) })
	t.Run("found out", func(t *testing.T) { namesComeLater(t, false, false, false) })
	t.Run("found half copied", func(t *testing.T) { namesComeLater(t, false, true, false) })
}

func namesComeLater(t *testing.T, told, slowly, brought bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := elffile.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	id := bin.BuildID()
	_ = bin.Close()
	if id == "" {
		t.Fatal("this program has no build ID")
	}
	dir, debug, empty, e := t.TempDir(), t.TempDir(), t.TempDir(), memory.New()
	o := quick(Options{})
	o.Names = NameOptions{Symbols: symbol.Options{DebugDirs: []string{debug}, Root: empty}, Interval: 5 * time.Millisecond}
	if !told {
		o.Names.Again = 5 * time.Millisecond
	}
	s := openStore(t, dir, e, o)
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/somewhere/else/app", BuildID: id, Start: 0x10000, Limit: 1 << 40})
	loc := b.Location(m, 0x10000+offsetOf(t, self, here()), profile.KindNative)
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 7, Value: 7e7})
	appendProfile(t, s, b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Start: testNow}), batch.Options{})
	flush(t, s)
	found := func() (names []string) {
		top, err := s.Top(t.Context(), lastDay(), TopOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if top.Basis.Count != 7 {
			t.Fatalf("%d samples", top.Basis.Count)
		}
		for _, r := range top.Rows {
			names = append(names, r.Function.Name)
		}
		return names
	}
	until(t, "the address was looked up", func() bool { st, err := s.Stats(t.Context()); return err == nil && st.Unresolved == 0 })
	if got := found(); len(got) != 1 || got[0] != "" {
		t.Fatalf("names without debug information: %q", got)
	}
	to := filepath.Join(debug, ".build-id", id[:2], id[2:]+".debug")
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if slowly {
		var asked atomic.Int64 // before each look-up
		s.DebugInfoFrom(func(context.Context, string) bool {
			asked.Add(1)
			return false
		})
		if err := os.WriteFile(to, data[:len(data)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		until(t, "the half that is there was looked at", func() bool { return asked.Load() >= 2 })
	}
	write := func() {
		if err := os.WriteFile(to, data, 0o600); err != nil {
			t.Error(err)
		}
	}
	if brought { // when it is needed
		s.DebugInfoFrom(func(_ context.Context, which string) bool {
			if which != id {
				return false
			}
			write()
			return true
		})
	} else {
		write()
	}
	if told {
		s.DebugInfoArrived(id)
	}
	named := func() bool { got := found(); return len(got) > 0 && strings.HasSuffix(got[0], "store.here") }
	until(t, "the address has a name", named)
	flush(t, s)
	closeStore(t, s)
	s = openStore(t, dir, e, o)
	defer closeStore(t, s)
	if !named() {
		t.Errorf("after a restart: %q", found())
	}
	before := s.journal.Last()
	time.Sleep(50 * time.Millisecond)
	if s.journal.Last() != before {
		t.Error("an address that has a name was looked up again")
	}
	p, _, err := s.Profile(t.Context(), lastDay())
	if err != nil {
		t.Fatal(err)
	}
	if line := p.Lines(p.Stack(p.Samples()[0].Stack)[0])[0]; line.Line == 0 || !strings.HasSuffix(p.Function(line.Function).File, "name_test.go") {
		t.Errorf("line %d of %q", line.Line, p.Function(line.Function).File)
	}
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
