package elfsym

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"whyhot/internal/elfinfo/elffile"
)

// TestReadForSameAsRead asks tables with all symbols and tables with few for the
// same addresses: in the files of the fuzzers, in what is built here and in the
// libraries of the system.
func TestReadForSameAsRead(t *testing.T) {
	paths := []string{
		build(t, assembly, ".s", "-shared", "-nostdlib", "-Wl,--eh-frame-hdr"),
		build(t, "int puts(const char *);\nint main(void) { return puts(\"\"); }", ".c", "-g"),
	}
	for _, pattern := range []string{
		"../../elfinfo/elffile/testdata/*.elf", "/usr/lib/*/libc.so.6", "/usr/lib/*/libstdc++.so.6", "/usr/lib/debug/.build-id/*/*0.debug", "/usr/bin/[a-g]*",
	} {
		found, _ := filepath.Glob(pattern)
		paths = append(paths, found[:min(len(found), 60)]...)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	asked, named := 0, 0
	for _, path := range paths {
		f, err := elffile.Open(path)
		if err != nil {
			continue
		}
		all, allErr := Read(f)
		var addrs []uint64
		for _, s := range all.Symbols() {
			if rng.IntN(all.Len()/100+1) == 0 {
				addrs = append(addrs, s.Low-1, s.Low, s.Low+(s.High-s.Low)/2, s.High-1, s.High)
			}
		}
		for _, r := range f.CodeRanges() {
			for range 50 {
				addrs = append(addrs, r.Low+rng.Uint64N(max(r.High-r.Low, 1)))
			}
		}
		for part := range slices.Chunk(addrs, 7) {
			few, err := ReadFor(f, part)
			if (err == nil) != (allErr == nil) || few.HasStatic() != all.HasStatic() {
				t.Fatalf("%s: error %v, static %v, want %v, %v", path, err, few.HasStatic(), allErr, all.HasStatic())
			}
			for _, a := range part {
				got, ok := few.Find(a)
				want, wantOK := all.Find(a)
				if ok != wantOK || got != want {
					t.Fatalf("%s: %#x is %+v, with all symbols %+v", path, a, got, want)
				}
				asked++
				if ok {
					named++
				}
			}
		}
		_ = f.Close()
	}
	if named == 0 || named == asked {
		t.Errorf("%d of %d addresses have names: the test tells nothing", named, asked)
	}
	t.Logf("%d of %d addresses have names", named, asked)
}
