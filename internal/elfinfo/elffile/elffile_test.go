package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"
	"golang.org/x/sys/unix"
)

func seeds(tb testing.TB) [][]byte {
	tb.Helper()
	paths, err := filepath.Glob("testdata/*.elf")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no seeds: %v", err)
	}
	var out [][]byte
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

func TestBuildIDFromNotes(t *testing.T) {
	note := func(name string, typ uint32, desc string) []byte {
		var b []byte
		b = binary.LittleEndian.AppendUint32(b, uint32(len(name)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(desc)))
		b = binary.LittleEndian.AppendUint32(b, typ)
		b = append(b, name+strings.Repeat("\x00", -len(name)&3)...)
		return append(b, desc+strings.Repeat("\x00", -len(desc)&3)...)
	}
	all := append(note("Linux\x00", 0, "\x01"), note("GNU\x00", 1, "abi.")...)
	all = append(all, note("GNU\x00", 3, "\xde\xad\xbe\xef")...)
	if got := BuildIDFromNotes(all, binary.LittleEndian); got != "deadbeef" {
		t.Errorf("got %q", got)
	}
	for cut := range all {
		if got := BuildIDFromNotes(all[:cut], binary.LittleEndian); got != "" {
			t.Errorf("%q from notes cut at %d", got, cut)
		}
	}
}

// TestCompressionBomb checks that a section's claim of its size is not believed.
func TestCompressionBomb(t *testing.T) {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := w.Write([]byte("short")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	section := func(size uint64) []byte {
		var b []byte
		b = binary.LittleEndian.AppendUint32(b, uint32(elf.COMPRESS_ZLIB))
		b = binary.LittleEndian.AppendUint32(b, 0)
		b = binary.LittleEndian.AppendUint64(b, size)
		b = binary.LittleEndian.AppendUint64(b, 1)
		return append(b, packed.Bytes()...)
	}
	got, err := decompress(section(5), true, binary.LittleEndian)
	if err != nil || string(got) != "short" {
		t.Errorf("%q %v", got, err)
	}
	for _, claim := range []uint64{6, 1 << 20, 1 << 40, 1 << 63} {
		if _, err := decompress(section(claim), true, binary.LittleEndian); err == nil {
			t.Errorf("a claim of %d bytes was believed", claim)
		}
	}
}

// TestTruncatedWhileMapped takes the file away under a reader.
func TestTruncatedWhileMapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	data := append(bytes.Clone(seeds(t)[0]), make([]byte, 1<<20)...)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	sum := 0
	err = Guard(path, func() error {
		for _, b := range f.data {
			sum += int(b)
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("error %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Guard swallowed a mistake that has nothing to do with the file")
		}
	}()
	_ = Guard(path, func() error { panic("a mistake of ours") })
}

func TestOpenOther(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(dir, "short")
	if err := os.WriteFile(short, []byte("\x7fELF"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, short, dir, os.DevNull} {
		if _, err := Open(path); !errors.Is(err, ErrNotELF) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzNew(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := New("fuzz", data)
		if err != nil {
			return
		}
		for _, s := range e.Sections {
			_, _ = e.SectionData(s)
		}
		e.BuildID()
		e.DebugLink()
		e.AltLink()
		e.Interpreter()
		for _, r := range e.CodeRanges() {
			if r.Low >= r.High {
				t.Fatalf("empty code range %+v", r)
			}
			e.At(r.Low, 16)
		}
		for off := uint64(0); off < uint64(len(data)); off += 64 {
			e.OffsetToVaddr(off)
		}
	})
}
