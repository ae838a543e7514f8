package journal

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func open(t *testing.T, dir string, taken uint64, o Options) *Journal {
	t.Helper()
	j, err := Open(dir, taken, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func put(t *testing.T, j *Journal, text string) uint64 {
	t.Helper()
	n, err := j.Append(t.Context(), Record{Kind: 7, Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func read(t *testing.T, j *Journal) (texts []string) {
	t.Helper()
	for _, n := range j.Pending() {
		err := j.Read(n, func(r Record) error {
			texts = append(texts, fmt.Sprintf("%d:%s", r.Kind, r.Data))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

func TestWhatIsAppendedIsThereAgain(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, 0, Options{SegmentAge: time.Hour})
	first := put(t, j, "a")
	put(t, j, "")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(t.Context(), Record{}); !errors.Is(err, ErrClosed) {
		t.Errorf("appending to a closed journal: %v", err)
	}
	j = open(t, dir, 0, Options{SegmentAge: time.Hour})
	if got := read(t, j); !slices.Equal(got, []string{"7:a", "7:"}) {
		t.Errorf("read %q", got)
	}
	if second := put(t, j, "c"); second <= first {
		t.Errorf("segment %d after %d", second, first)
	}
	_ = j.Close()
	// What was taken elsewhere is removed, and its number not used again.
	j = open(t, dir, first+5, Options{})
	if len(j.Pending()) != 0 {
		t.Errorf("segments %v are left", j.Pending())
	}
	if n := put(t, j, "d"); n != first+6 {
		t.Errorf("segment %d", n)
	}
}

func TestSegmentsCloseByAgeAndSize(t *testing.T) {
	j := open(t, t.TempDir(), 0, Options{SegmentAge: 20 * time.Millisecond})
	a := put(t, j, "a")
	if n, err := j.Next(t.Context()); err != nil || n != a {
		t.Fatalf("next is %d, %v", n, err)
	}
	if err := j.Remove(a); err != nil {
		t.Fatal(err)
	}
	if b := put(t, j, "b"); b == a {
		t.Error("a closed segment was written to")
	}
	j = open(t, t.TempDir(), 0, Options{SegmentAge: time.Hour, SegmentBytes: 10})
	a = put(t, j, "0123456789")
	if b := put(t, j, "b"); b == a {
		t.Error("a segment grew beyond its size")
	}
}

func TestMany(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, 0, Options{SegmentBytes: 100})
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() { put(t, j, fmt.Sprint(i)) })
	}
	all.Wait()
	_ = j.Close()
	got := read(t, open(t, dir, 0, Options{}))
	slices.Sort(got)
	if len(slices.Compact(got)) != 200 {
		t.Errorf("%d of 200 are there", len(got))
	}
}

func TestFull(t *testing.T) {
	j := open(t, t.TempDir(), 0, Options{MaxBytes: 100, SegmentAge: 10 * time.Millisecond})
	put(t, j, string(make([]byte, 80)))
	if _, err := j.Append(t.Context(), Record{Data: make([]byte, 30)}); !errors.Is(err, ErrFull) {
		t.Errorf("appending to a full journal: %v", err)
	}
	n, err := j.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Remove(n); err != nil {
		t.Fatal(err)
	}
	put(t, j, "there is room again")
}

// A record that a crash left unfinished at the end goes; damage elsewhere is told.
func TestDamage(t *testing.T) {
	write := func(t *testing.T, change func(data []byte) []byte) string {
		t.Helper()
		dir := t.TempDir()
		j := open(t, dir, 0, Options{SegmentAge: time.Hour})
		for _, s := range []string{"first", "second", "third"} {
			put(t, j, s)
		}
		_ = j.Close()
		path := filepath.Join(dir, fmt.Sprintf("%016x%s", 1, suffix))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, change(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for cut := 1; cut <= len("third")+headerSize; cut++ {
		dir := write(t, func(data []byte) []byte { return data[:len(data)-cut] })
		j := open(t, dir, 0, Options{SegmentAge: time.Hour})
		if got := read(t, j); !slices.Equal(got, []string{"7:first", "7:second"}) {
			t.Errorf("%d bytes cut off: %q", cut, got)
		}
	}
	damage := (*DamageError)(nil)
	for at := range headerSize + len("first") {
		dir := write(t, func(data []byte) []byte { data[at] ^= 1; return data })
		if _, err := Open(dir, 0, Options{}); !errors.As(err, &damage) || damage.Offset != 0 {
			t.Errorf("byte %d of the first record damaged: %v", at, err)
		}
	}
	// A damaged segment that is not the last one is no crash's doing.
	dir := write(t, func(data []byte) []byte { return data[:len(data)-2] })
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%016x%s", 2, suffix)), appendRecord(nil, Record{Data: []byte("x")}, beginsGroup), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, 0, Options{}); !errors.As(err, &damage) {
		t.Errorf("a damaged segment before the last: %v", err)
	}
}

// Who took segments and has lost them is told, once for all, until somebody decides.
func TestWhatWasTakenIsRemembered(t *testing.T) {
	dir := t.TempDir()
	quick := Options{SegmentAge: time.Millisecond}
	j := open(t, dir, 0, quick)
	for range 3 {
		n := put(t, j, "text")
		if next, err := j.Next(t.Context()); err != nil || next != n {
			t.Fatalf("next is %d, %v", next, err)
		}
		if err := j.Remove(n); err != nil {
			t.Fatal(err)
		}
	}
	_ = j.Close()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 1 || filepath.Ext(names[0]) != mark {
		t.Fatalf("there are %q, %v", names, err)
	}
	if info, err := os.Stat(names[0]); err != nil || info.Size() != 0 {
		t.Errorf("the mark is %+v, %v", info, err)
	}
	lost := (*LostError)(nil)
	for range 2 {
		if _, err := Open(dir, 2, quick); !errors.As(err, &lost) || lost.Had != 3 || lost.Mark != names[0] {
			t.Fatalf("opened with two of three: %v", err)
		}
	}
	j = open(t, dir, 3, Options{SegmentAge: time.Hour})
	if n := put(t, j, "more"); n != 4 {
		t.Errorf("segment %d, want 4", n)
	}
	_ = j.Close()
	if err := Renew(dir, 4); err == nil {
		t.Error("a segment would have been taken for one that the new engine has")
	}
	if err := Renew(dir, 1); err != nil {
		t.Fatal(err)
	}
	if got := read(t, open(t, dir, 1, Options{})); !slices.Equal(got, []string{"7:more"}) {
		t.Errorf("read %q", got)
	}
	if err := Renew(filepath.Join(dir, "none"), 1); err != nil {
		t.Error(err)
	}
}

func FuzzWalk(f *testing.F) {
	f.Add(appendRecord(appendRecord(nil, Record{1, []byte("one")}, beginsGroup), Record{2, nil}, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		size := 0
		good, err := walk(data, func(r Record) error {
			size += headerSize + len(r.Data)
			return nil
		})
		if size != good || err == nil && good != len(data) {
			t.Errorf("%d of %d bytes, %v", good, len(data), err)
		}
	})
}

// A disk that is full is told of; when there is room again, the journal goes on, and no
// number is left out.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, 0, Options{SegmentAge: 10 * time.Millisecond})
	limit := unix.Rlimit{}
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	small := unix.Rlimit{Cur: 1 << 20, Max: limit.Max} // testing itself writes files, too
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := j.Append(t.Context(), Record{Data: make([]byte, 2<<20)}); err == nil {
			t.Error("more was written than the disk takes")
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if n := put(t, j, "there is room"); n != 1 || j.Last() != 1 {
		t.Errorf("segment %d, last %d", n, j.Last())
	}
	_ = j.Close()
	if got := read(t, open(t, dir, 0, Options{SegmentAge: time.Hour})); !slices.Equal(got, []string{"7:there is room"}) {
		t.Errorf("read %q", got)
	}
}
