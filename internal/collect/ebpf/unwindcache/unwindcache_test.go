package unwindcache

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind/elfunwindinfo"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
)

// binaries are this program, which Go built, and libraries and compilers of C and C++.
func binaries(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	found := []string{self}
	for _, pattern := range []string{
		"/lib/*-linux-gnu/libc.so.6", "/lib*/ld-musl-*.so.1", "/usr/lib/*-linux-gnu/libstdc++.so.6", "/usr/bin/python3.*[0-9]", "/usr/lib/gcc/*/*/cc1plus",
	} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, some...)
	}
	return found
}

// counting makes tables as the profiler does, and counts.
type counting struct {
	nativeunwind.StackDeltaProvider

	made int
}

func (c *counting) GetIntervalDataForFile(ref *pfelf.Reference) (*sdtypes.IntervalData, error) {
	c.made++
	return c.StackDeltaProvider.GetIntervalDataForFile(ref)
}

// provider gives one as at the start of a recording.
func provider(dir string, limit int64) (*Provider, *counting) {
	c := &counting{StackDeltaProvider: elfunwindinfo.NewStackDeltaProvider()}
	return NewProvider(In(dir, limit), c), c
}

func tablesOf(t *testing.T, p nativeunwind.StackDeltaProvider, path string) *sdtypes.IntervalData {
	t.Helper()
	ref := pfelf.NewReference(path, pfelf.SystemOpener)
	defer ref.Close()
	tables, err := p.GetIntervalDataForFile(ref)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTheSameTablesAsMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "unwind")
	for _, path := range binaries(t) {
		want := tablesOf(t, elfunwindinfo.NewStackDeltaProvider(), path)
		before := len(entries(t, dir))
		p, made := provider(dir, MostBytes)
		if got := tablesOf(t, p, path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: other tables where nothing was kept", path)
		}
		if kept := len(entries(t, dir)) > before; kept != (want.NumDeltas >= worthKeeping) {
			t.Errorf("%s: %d deltas, kept: %v", path, want.NumDeltas, kept)
		}
		if want.NumDeltas < worthKeeping || made.made == 0 {
			continue
		}
		p, made = provider(dir, MostBytes)
		if got := tablesOf(t, p, path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: other tables than those that were kept", path)
		}
		if made.made != 0 {
			t.Errorf("%s: made again", path)
		}
	}
	if len(entries(t, dir)) == 0 {
		t.Error("nothing was kept")
	}
}

// large names a library that is worth keeping.
func large(t *testing.T) string {
	t.Helper()
	for _, path := range binaries(t) {
		if f, err := elf.Open(path); err == nil {
			frames := f.Section(".eh_frame")
			_ = f.Close()
			if frames != nil && frames.Size > 50_000 {
				return path
			}
		}
	}
	t.Skip("no library with many functions is here")
	return ""
}

func TestDamagedEntryIsMadeAnew(t *testing.T) {
	path, dir := large(t), t.TempDir()
	p, _ := provider(dir, MostBytes)
	want := tablesOf(t, p, path)
	all := entries(t, dir)
	if len(all) != 1 {
		t.Fatalf("%d entries", len(all))
	}
	whole, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]byte) []byte{
		"empty": func([]byte) []byte { return nil }, "half": func(b []byte) []byte { return b[:len(b)/2] },
		"longer": func(b []byte) []byte { return append(b, 0) }, "of another version": func(b []byte) []byte { b[len(magic)-2]++; return b },
		"of another binary": func(b []byte) []byte { b[len(magic)]++; return b }, "one bit": func(b []byte) []byte { b[len(b)/3] ^= 4; return b },
		"zeros": func(b []byte) []byte { return make([]byte, len(b)) },
	} {
		if err := os.WriteFile(all[0], damage(slices.Clone(whole)), 0o600); err != nil {
			t.Fatal(err)
		}
		p, made := provider(dir, MostBytes)
		if got := tablesOf(t, p, path); !reflect.DeepEqual(got, want) || made.made != 1 {
			t.Errorf("%s: made %d times", name, made.made)
		}
		if now, err := os.ReadFile(all[0]); err != nil || !bytes.Equal(now, whole) {
			t.Errorf("%s: the entry is not as it was, %v", name, err)
		}
	}
	if err := os.Remove(all[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(all[0], 0o700); err != nil {
		t.Fatal(err)
	}
	p, made := provider(dir, MostBytes)
	if got := tablesOf(t, p, path); !reflect.DeepEqual(got, want) || made.made != 1 {
		t.Errorf("a directory in its place: made %d times", made.made)
	}
}

// Two files with one build ID, and other tables.
func TestForgedBuildID(t *testing.T) {
	path, dir := large(t), t.TempDir()
	p, _ := provider(dir, MostBytes)
	tablesOf(t, p, path)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	frames := f.Section(".eh_frame")
	content[frames.Offset+frames.Size/2] ^= 0x20
	forged := filepath.Join(t.TempDir(), "forged")
	if err := os.WriteFile(forged, content, 0o600); err != nil {
		t.Fatal(err)
	}
	ref := pfelf.NewReference(forged, pfelf.SystemOpener)
	defer ref.Close()
	p, made := provider(dir, MostBytes)
	_, _ = p.GetIntervalDataForFile(ref) // with an error where the changed byte leads astray
	if made.made != 1 {
		t.Error("the tables of another file were taken")
	}
}

// some makes tables of a given size.
func some(blocks int) *sdtypes.IntervalData {
	tables := &sdtypes.IntervalData{}
	for i := range uint64(blocks) {
		b := sdtypes.BasicBlock{Start: 0x1000 + 64*i, End: 0x1000 + 64*i + 32}
		b.Deltas.Add(0, sdtypes.UnwindInfo{BaseReg: 1, Param: 8})
		b.Deltas.Add(uint32(i%30)+1, sdtypes.UnwindInfo{BaseReg: 1, Param: int32(i % 500)})
		tables.Add(b)
	}
	return tables
}

func key(n byte) Key {
	k := Key{name: "id-" + string('a'+rune(n))}
	k.sum[0] = n
	return k
}

func TestTheOldestUsedGoes(t *testing.T) {
	entry, ok := encode(key(0), some(2000))
	if !ok {
		t.Fatal("tables are refused")
	}
	dir := t.TempDir()
	d := In(dir, int64(len(entry))*10)
	long := time.Now().Add(-48 * time.Hour)
	for n := range byte(10) {
		d.store(key(n), some(2000))
		at := long.Add(time.Duration(n) * time.Minute)
		if err := os.Chtimes(d.place(key(n)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	stale, fresh := filepath.Join(dir, left+"1"), filepath.Join(dir, left+"2")
	for _, path := range []string{stale, fresh} {
		if err := os.WriteFile(path, entry, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(stale, long, long); err != nil {
		t.Fatal(err)
	}
	if d.load(key(0)) == nil { // the oldest was used just now
		t.Fatal("an entry within the bound is gone")
	}
	d.store(key(10), some(2000))
	for n, want := range map[byte]bool{0: true, 1: false, 2: false, 3: true, 9: true, 10: true} {
		if got := d.load(key(n)) != nil; got != want {
			t.Errorf("entry %d: there %v, want %v", n, got, want)
		}
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("what a write left that broke off long ago is still there")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("what another process writes is gone")
	}
	d.store(key(11), some(40000)) // larger than all that may be there
	if len(entries(t, dir)) != 9 {
		t.Errorf("%d entries after one that does not fit", len(entries(t, dir)))
	}
}

func TestSeveralAtOnce(t *testing.T) {
	entry, _ := encode(key(0), some(500))
	dir := t.TempDir()
	var all sync.WaitGroup
	for worker := range 8 {
		d := In(dir, int64(len(entry))*6) // as another process has it
		all.Go(func() {
			for i := range 50 {
				k := key(byte((worker + i) % 12))
				if tables := d.load(k); tables != nil && !reflect.DeepEqual(tables, some(500)) {
					t.Error("other tables")
					return
				}
				d.store(k, some(500))
			}
		})
	}
	all.Wait()
	if n := len(entries(t, dir)); n > 12 {
		t.Errorf("%d entries", n)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), left) {
			t.Errorf("%s is left", f.Name())
		}
	}
}

func TestNoPlaceToWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p, made := provider(filepath.Join(file, "unwind"), MostBytes)
	for range 2 {
		tablesOf(t, p, large(t))
	}
	if made.made != 2 {
		t.Errorf("made %d times", made.made)
	}
}

// What the profiler would not survive, or what is not as it makes it, is not kept.
func TestUnfitTables(t *testing.T) {
	info := sdtypes.UnwindInfo{BaseReg: 1, Param: 8}
	block := func(start, end uint64, offsets ...uint32) *sdtypes.BasicBlock {
		b := &sdtypes.BasicBlock{Start: start, End: end}
		for _, o := range offsets {
			b.Deltas = append(b.Deltas, sdtypes.StackDelta{Offset: o, Info: info})
		}
		return b
	}
	signal := block(0x10000, 0x10010, 0)
	signal.Deltas[0].Info = sdtypes.UnwindInfoSignal
	for name, blocks := range map[string][]*sdtypes.BasicBlock{
		"not in order":            {block(0x2000, 0x2010, 0), block(0x1000, 0x1010, 0)},
		"ends before it starts":   {block(0x2000, 0x1000, 0)},
		"reaches beyond the last": {block(0x1000, 0x9000, 0), block(0x2000, 0x2010, 0)},
		"far apart":               {block(0x1000, 0x1010, 0), block(1<<40, 1<<40+1, 0)},
		"offsets not in order":    {block(0x1000, 0x1010, 4, 2)},
		"offset outside":          {block(0x1000, 0x1010, 0, 0x11)},
		"nothing in a block":      {block(0x1000, 0x1010)},
		"at address 0":            {block(0, 0x1010, 0)},
		"a signal's return first": {signal},
	} {
		tables := &sdtypes.IntervalData{Blocks: blocks}
		for _, b := range blocks {
			tables.NumDeltas += uint32(len(b.Deltas))
		}
		if _, ok := encode(key(0), tables); ok {
			t.Errorf("%s: taken", name)
		}
	}
}

// sealed makes an entry of what stands between key and checksum.
func sealed(body []byte) []byte {
	k := key(7)
	b := append([]byte(magic), k.sum[:]...)
	b = append(b, body...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// Any bytes with the right checksum: what is taken is fit, and is kept as it is.
func FuzzEntry(f *testing.F) {
	for _, blocks := range []int{0, 1, 40} {
		entry, ok := encode(key(7), some(blocks))
		if !ok {
			f.Fatal("tables are refused")
		}
		f.Add(entry[len(magic)+sha256.Size : len(entry)-sha256.Size])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = decode(key(7), body) // without the frame, too
		tables, err := decode(key(7), sealed(body))
		if err != nil {
			return
		}
		if !fit(tables) {
			t.Fatal("unfit tables")
		}
		entry, ok := encode(key(7), tables)
		if !ok {
			t.Fatal("what was read cannot be written")
		}
		again, err := decode(key(7), entry)
		if err != nil || !reflect.DeepEqual(again, tables) {
			t.Fatalf("not the same again: %v", err)
		}
	})
}
