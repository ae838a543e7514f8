package symbol

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

// split moves the debug information of a binary to a file of its own, as
// distributions do, and returns that file.
func split(t *testing.T, binary string) string {
	t.Helper()
	objcopy := tooltest.Find(t, "objcopy")
	debug := binary + ".debug"
	dir := filepath.Dir(binary)
	command(t, dir, objcopy, "--only-keep-debug", "--compress-debug-sections", binary, debug)
	command(t, dir, objcopy, "--strip-all", "--remove-section=.comment", binary)
	return debug
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func buildID(t *testing.T, path string) string {
	t.Helper()
	f, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.BuildID()
}

// answers are the frames of every address of .text.
func answers(t *testing.T, path string, addrs []uint64, opts Options) ([][]string, *File) {
	t.Helper()
	f, err := Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	got, err := f.LookupAll(t.Context(), addrs)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]string, len(got))
	for i, frames := range got {
		for _, fr := range frames {
			out[i] = append(out[i], fr.Function.Name+" "+fr.Function.File)
		}
	}
	return out, f
}

// TestSeparateDebugFile puts the debug file wherever it may lie; the answers must
// be those of the binary before it was stripped.
func TestSeparateDebugFile(t *testing.T) {
	binary := compile(t, "g++", "-g", "-Wl,--build-id")
	addrs := everyAddress(t, binary)
	want, _ := answers(t, binary, addrs, Options{})
	debug := split(t, binary)
	id := buildID(t, binary)
	if id == "" {
		t.Fatal("the linker gave no build ID")
	}
	stripped, f := answers(t, binary, addrs, Options{})
	if f.Detail() != DetailLines && slices.EqualFunc(stripped, want, slices.Equal) {
		t.Fatal("stripping changed nothing")
	}
	dir := filepath.Join(t.TempDir(), "debug")
	last := debug
	for _, place := range []string{
		filepath.Join(dir, ".build-id", id[:2], id[2:]+".debug"),
		filepath.Join(dir, id[:2], id[2:]+".debug"),
		filepath.Join(dir, id+".debug"),
		filepath.Join(dir, id, "debuginfo"),
	} {
		move(t, last, place)
		last = place
		if got, _ := answers(t, binary, addrs, Options{DebugDirs: []string{dir}}); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: other answers than from the whole binary", place)
		}
		if place == filepath.Join(dir, id, "debuginfo") {
			continue
		}
		root := t.TempDir()
		system := filepath.Join(root, "usr/lib/debug/.build-id", id[:2], id[2:]+".debug")
		move(t, last, system)
		if got, _ := answers(t, binary, addrs, Options{Root: root}); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: other answers than from the whole binary", system)
		}
		last = system
	}
}

func TestDebugLink(t *testing.T) {
	binary := compile(t, "g++", "-g", "-Wl,--build-id=none")
	addrs := everyAddress(t, binary)
	want, _ := answers(t, binary, addrs, Options{})
	debug := split(t, binary)
	dir := filepath.Dir(binary)
	command(t, dir, "objcopy", "--add-gnu-debuglink="+debug, binary)
	hidden := filepath.Join(dir, ".debug", filepath.Base(debug))
	move(t, debug, hidden)
	if got, _ := answers(t, binary, addrs, Options{}); !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("the debug file beside the binary gave other answers")
	}
	tree := filepath.Join(t.TempDir(), "debug")
	move(t, hidden, filepath.Join(tree, dir, filepath.Base(debug)))
	if got, _ := answers(t, binary, addrs, Options{DebugDirs: []string{tree}}); !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("the debug file in a tree gave other answers")
	}
	other := compile(t, "g++", "-g", "-O0", "-Wl,--build-id=none")
	move(t, other, hidden)
	got, f := answers(t, binary, addrs, Options{})
	if slices.EqualFunc(got, want, slices.Equal) {
		t.Error("a debug file of another binary was believed")
	}
	if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, "checksum") {
		t.Errorf("the refusal is not told: %q", notes)
	}
}

// TestSharedDebugFile has dwz move what two programs have in common to a third
// file, as Debian's packages do.
func TestSharedDebugFile(t *testing.T) {
	dwz := tooltest.Find(t, "dwz")
	one := compile(t, "g++", "-gdwarf-5", "-Wl,--build-id")
	two := compile(t, "g++", "-gdwarf-5", "-Wl,--build-id", "-O1")
	addrs := everyAddress(t, one)
	want, _ := answers(t, one, addrs, Options{})
	debugOne, debugTwo := split(t, one), split(t, two)
	for _, d := range []string{debugOne, debugTwo} {
		command(t, filepath.Dir(d), "objcopy", "--decompress-debug-sections", d)
	}
	dir := t.TempDir()
	shared := filepath.Join(dir, ".dwz", "shared.debug")
	if err := os.MkdirAll(filepath.Dir(shared), 0o700); err != nil {
		t.Fatal(err)
	}
	id := buildID(t, one)
	place := filepath.Join(dir, ".build-id", id[:2], id[2:]+".debug")
	command(t, dir, dwz, "-m", shared, "-M", "/usr/lib/debug/.dwz/shared.debug", debugOne, debugTwo)
	move(t, debugOne, place)
	opts := Options{DebugDirs: []string{dir}}
	got, f := answers(t, one, addrs, opts)
	if len(f.Sources()) != 3 {
		t.Fatalf("read %q, want the binary, its debug file and the shared one", f.Sources())
	}
	wrong := 0
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			if wrong++; wrong < 5 {
				t.Errorf("%#x: %q, want %q", addrs[i], got[i], want[i])
			}
		}
	}
	if err := os.Remove(shared); err != nil {
		t.Fatal(err)
	}
	_, f = answers(t, one, addrs, opts)
	if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, "shared debug information") {
		t.Errorf("the missing shared file is not told: %q", notes)
	}
}

// TestOldCompression reads .zdebug_ sections, which linkers wrote before 2015.
func TestOldCompression(t *testing.T) {
	binary := compile(t, "g++", "-gdwarf-4")
	addrs := everyAddress(t, binary)
	want, _ := answers(t, binary, addrs, Options{})
	command(t, filepath.Dir(binary), tooltest.Find(t, "objcopy"), "--compress-debug-sections=zlib-gnu", binary)
	got, f := answers(t, binary, addrs, Options{})
	if s := f.bin.Section(".zdebug_info"); s == nil {
		t.Skip("this objcopy does not write the old form")
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("other answers than from the same file uncompressed")
	}
}

// TestSplitDWARF builds with the details in a file that is not read: functions
// and lines are known all the same, and the user is told what is not.
func TestSplitDWARF(t *testing.T) {
	for _, c := range []struct{ compiler, version string }{
		{"g++", "-gdwarf-5"}, {"g++", "-gdwarf-4"}, {"clang++-19", "-gdwarf-5"},
	} {
		binary := compile(t, c.compiler, c.version, "-gsplit-dwarf")
		m, addr := mapped(t, binary, "plain_c_name")
		q, sum := New(Options{}).Symbolize(t.Context(), profileOf(m, profile.KindNative, 1, profile.Meta{}, addr))
		line := q.Lines(0)[len(q.Lines(0))-1]
		if fn := q.Function(line.Function); fn.Name != "plain_c_name" || filepath.Base(fn.File) != "prog.cpp" || line.Line == 0 {
			t.Errorf("%s %s: %+v line %d", c.compiler, c.version, fn, line.Line)
		}
		if notes := strings.Join(sum.Mappings[0].Notes, "\n"); !strings.Contains(notes, "-gsplit-dwarf") {
			t.Errorf("%s %s: not told: %q", c.compiler, c.version, notes)
		}
	}
}
