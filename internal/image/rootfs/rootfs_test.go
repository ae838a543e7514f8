package rootfs

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func all(string, fs.FileMode, int64) bool { return true }

// layer writes a tar stream.
func layer(tb testing.TB, entries ...tar.Header) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		text := ""
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag == tar.TypeReg {
			text, h.Linkname = h.Linkname, "" // the contents of a file in these tests
			h.Size = int64(len(text))
		}
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if err := w.WriteHeader(&h); err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func file(name, text string) tar.Header { return tar.Header{Name: name, Linkname: text} }
func symlink(name, to string) tar.Header {
	return tar.Header{Name: name, Linkname: to, Typeflag: tar.TypeSymlink}
}
func hardlink(name, to string) tar.Header {
	return tar.Header{Name: name, Linkname: to, Typeflag: tar.TypeLink}
}
func dir(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeDir, Mode: 0o755} }

func stacked(tb testing.TB, layers ...[]byte) *FS {
	tb.Helper()
	f, err := New(DefaultLimits(), all)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close() })
	for i, l := range layers {
		if err := f.Apply(i+1, bytes.NewReader(l), nil); err != nil {
			tb.Fatalf("layer %d: %v", i+1, err)
		}
	}
	return f
}

// files are all regular files with their contents and layers.
func files(t *testing.T, f *FS) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(f, name)
		out = append(out, name+"="+string(text)+"@"+string(rune('0'+f.Layer(name))))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLayers(t *testing.T) {
	for _, c := range []struct {
		name   string
		layers [][]byte
		want   []string
	}{
		{"a later layer wins", [][]byte{layer(t, file("a", "1"), file("b", "1")), layer(t, file("a", "2"))}, []string{"a=2@2", "b=1@1"}},
		{"a whiteout deletes", [][]byte{layer(t, file("d/a", "1"), file("d/b", "1")), layer(t, file("d/.wh.a", ""))}, []string{"d/b=1@1"}},
		{"of a directory, with all in it", [][]byte{layer(t, file("d/e/a", "1"), file("x", "1")), layer(t, file(".wh.d", ""))}, []string{"x=1@1"}},
		{"an opaque directory hides what is below", [][]byte{layer(t, file("d/a", "1")), layer(t, file("d/b", "2"), file("d/.wh..wh..opq", ""))}, []string{"d/b=2@2"}},
		{"wherever the whiteout stands", [][]byte{layer(t, file("d/a", "1")), layer(t, file("d/.wh..wh..opq", ""), file("d/b", "2"))}, []string{"d/b=2@2"}},
		{"a whiteout spares what its own layer brings", [][]byte{layer(t, file("a", "1")), layer(t, file("a", "2"), file(".wh.a", ""))}, []string{"a=2@2"}},
		{"a directory that comes again keeps what is in it", [][]byte{layer(t, file("d/a", "1")), layer(t, dir("d"), file("d/b", "2"))}, []string{"d/a=1@1", "d/b=2@2"}},
		{"a file takes a directory's place", [][]byte{layer(t, file("d/a", "1")), layer(t, file("d", "2"))}, []string{"d=2@2"}},
		{"a hard link names from the root", [][]byte{layer(t, file("usr/bin/a", "1"), hardlink("bin/b", "usr/bin/a"))}, []string{"bin/b=1@1", "usr/bin/a=1@1"}},
		{"a hard link stays when its target goes", [][]byte{layer(t, file("a", "1"), hardlink("b", "a")), layer(t, file(".wh.a", ""))}, []string{"b=1@1"}},
		{"names cannot leave the tree", [][]byte{layer(t, file("../../etc/passwd", "1"), file("/abs", "2"), file("./dot", "3"))}, []string{"abs=2@1", "dot=3@1", "etc/passwd=1@1"}},
		{"a file goes through a link of the layer below", [][]byte{layer(t, dir("usr/lib"), symlink("lib", "usr/lib")), layer(t, file("lib/a", "2"))}, []string{"usr/lib/a=2@2"}},
		{"but not out of the tree", [][]byte{layer(t, symlink("lib", "../../../tmp")), layer(t, file("lib/a", "2"))}, []string{"lib/a=2@2"}},
		{"nor for ever", [][]byte{layer(t, symlink("l", "l"), symlink("m", "n"), symlink("n", "m")), layer(t, file("l/a", "2"), file("m/b", "2"))}, []string{"l/a=2@2", "m/b=2@2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := files(t, stacked(t, c.layers...)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	f := stacked(t, layer(t,
		file("usr/lib/z.so.1.2", "z"), symlink("usr/lib/z.so", "z.so.1.2"), symlink("lib", "usr/lib"),
		symlink("abs", "/usr/lib/z.so"), symlink("out", "../../../../usr/lib/z.so.1.2"), symlink("round", "round")))
	for _, name := range []string{"usr/lib/z.so", "lib/z.so", "abs", "out"} {
		if text, err := fs.ReadFile(f, name); err != nil || string(text) != "z" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if at, err := f.Real(name); err != nil || at != "usr/lib/z.so.1.2" {
			t.Errorf("%s is really %q, %v", name, at, err)
		}
	}
	if _, err := f.Open("round"); err == nil || !strings.Contains(err.Error(), "symbolic links") {
		t.Errorf("a link to itself: %v", err)
	}
}

// The standard library's own test of file systems, on one without symbolic links: it
// expects them to be what they point at nowhere and everywhere.
func TestFileSystem(t *testing.T) {
	f := stacked(t, layer(t, file("a", "1"), file("d/b", "22"), dir("d/empty"), file("d/e/c", "")))
	if err := fstest.TestFS(f, "a", "d/b", "d/empty", "d/e/c"); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNotKeptHasNoContents(t *testing.T) {
	f, err := New(DefaultLimits(), func(name string, _ fs.FileMode, _ int64) bool { return name == "keep" })
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Apply(1, bytes.NewReader(layer(t, file("keep", "yes"), file("drop", "no"))), nil); err != nil {
		t.Fatal(err)
	}
	if text, err := fs.ReadFile(f, "keep"); err != nil || string(text) != "yes" {
		t.Errorf("keep: %q, %v", text, err)
	}
	if info, err := f.Stat("drop"); err != nil || info.Size() != 2 {
		t.Errorf("drop: its size is known: %v, %v", info, err)
	}
	if _, err := f.Open("drop"); err == nil {
		t.Error("drop was opened")
	}
	if f.kept != 3 {
		t.Errorf("%d bytes were kept, not 3", f.kept)
	}
}

func TestLimits(t *testing.T) {
	big := layer(t, file("a", strings.Repeat("x", 5000)), file("b", "1"), file("c", "1"))
	for name, limits := range map[string]Limits{
		"files": {Entries: 2, Layer: 1 << 20, File: 1 << 20, Kept: 1 << 20},
		"bytes": {Entries: 9, Layer: 4000, File: 1 << 20, Kept: 1 << 20},
		"kept":  {Entries: 9, Layer: 1 << 20, File: 1 << 20, Kept: 4000},
	} {
		f, err := New(limits, all)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Apply(1, bytes.NewReader(big), nil); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		_ = f.Close()
	}
	long := layer(t, file(strings.Repeat("d/", 3000)+"a", ""))
	f := stacked(t)
	if err := f.Apply(1, bytes.NewReader(long), nil); err == nil || !strings.Contains(err.Error(), "4096") {
		t.Errorf("a name longer than Linux takes: %v", err)
	}
}

func TestDamagedLayer(t *testing.T) {
	whole := layer(t, file("a", strings.Repeat("x", 5000)), file("b", "1"))
	for cut := 100; cut < 6000; cut += 700 {
		f := stacked(t)
		if err := f.Apply(1, bytes.NewReader(whole[:cut]), nil); err == nil {
			t.Errorf("a layer cut at %d of %d bytes was taken", cut, len(whole))
		}
	}
}

func TestTouched(t *testing.T) {
	f := stacked(t, layer(t, file("db/status", "1"), file("x", "1")))
	var got []string
	if err := f.Apply(2, bytes.NewReader(layer(t, file(".wh.db", ""), file("y", "2"))), func(n string) { got = append(got, n) }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"db", "db/status", "y"}; !slices.Equal(got, want) {
		t.Errorf("touched %q, want %q", got, want)
	}
}

// A header of one kind whose mode says another is of the kind that it says itself. What
// the fuzzer found was a directory that was a link, too, and could not be listed.
func TestModeOfAnotherKind(t *testing.T) {
	const linkBits = 0o120000 // S_IFLNK
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []*tar.Header{
		{Name: "d/", Typeflag: tar.TypeDir, Mode: linkBits | 0o755},
		{Name: "d/f", Typeflag: tar.TypeReg, Mode: linkBits | 0o644, Size: 1},
	} {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte("1")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tree, err := New(DefaultLimits(), all)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if err := tree.Apply(1, &b, nil); err != nil {
		t.Fatal(err)
	}
	if text, err := fs.ReadFile(tree, "d/f"); err != nil || string(text) != "1" {
		t.Errorf("%q, %v", text, err)
	}
	if entries, err := tree.ReadDir("d"); err != nil || len(entries) != 1 || !entries[0].Type().IsRegular() {
		t.Errorf("%v, %v", entries, err)
	}
}

// A name that is no UTF-8 is one that Linux takes.
func TestNameOfBytes(t *testing.T) {
	tree, err := New(DefaultLimits(), all)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	const name = "caf\xe9/\xfcber.jar"
	if err := tree.Apply(1, bytes.NewReader(layer(t, file(name, "1"))), nil); err != nil {
		t.Fatal(err)
	}
	if text, err := fs.ReadFile(tree, name); err != nil || string(text) != "1" {
		t.Errorf("%q, %v", text, err)
	}
	if at, err := tree.Real(name); err != nil || at != name {
		t.Errorf("%q, %v", at, err)
	}
}

// Whatever a layer holds, the tree stays one that can be walked to its end, and its
// count of names is that of what is in it.
func FuzzApply(f *testing.F) {
	f.Add(layer(f, file("a/b", "1"), symlink("l", "a"), file("l/c", "2"), hardlink("h", "a/b")), layer(f, file("a/.wh.b", ""), file("a/.wh..wh..opq", "")))
	f.Add(layer(f, symlink("l", "l"), file("l/x", "1")), layer(f, file(".wh.l", ""), dir("l")))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		tree, err := New(Limits{Entries: 1000, Layer: 1 << 20, File: 1 << 16, Kept: 1 << 18}, all)
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		for i, l := range [][]byte{one, two} {
			_ = tree.Apply(i+1, bytes.NewReader(l), nil) // what came before an error stays
		}
		if want := tree.root.count() - 1; tree.entries != want && tree.entries <= 1000 {
			t.Errorf("%d names counted, %d are there", tree.entries, want)
		}
		err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if strings.Contains(name, "..") && slices.Contains(strings.Split(name, "/"), "..") || path.IsAbs(name) {
				t.Errorf("the name %q", name)
			}
			if d.Type().IsRegular() {
				if at, err := tree.Real(name); err != nil || at != name {
					t.Errorf("%q is really %q: %v", name, at, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
