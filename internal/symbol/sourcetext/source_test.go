package sourcetext

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLines(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	recorded := write(t, filepath.Join(dir, "here.c"), "one\ntwo\n")
	write(t, filepath.Join(dir, "src", "lib", "moved.c"), "moved")
	write(t, filepath.Join(dir, "tree", "src", "elsewhere.c"), "elsewhere")
	write(t, filepath.Join(dir, "lonely.h"), "another file of that name")
	f := Finder{Dirs: []string{filepath.Join(dir, "tree")}}
	for _, test := range []struct {
		path string
		want []string
	}{
		{recorded, []string{"one", "two"}},
		{"here.c", []string{"one", "two"}},
		{"/build/pkg-1.0/src/lib/moved.c", []string{"moved"}},     // below the working directory
		{"/build/pkg-1.0/src/elsewhere.c", []string{"elsewhere"}}, // below the given one
		{"/usr/include/lonely.h", nil},                            // the name alone is no proof
		{"/build/nothing.c", nil},
		{"<frozen importlib._bootstrap>", nil},
		{"", nil},
		{dir, nil}, // a directory
	} {
		got, ok := f.Lines(test.path)
		if ok != (test.want != nil) || !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, %v; want %q", test.path, got, ok, test.want)
		}
	}
	if notes := f.Notes(); len(notes) > 0 {
		t.Errorf("notes without a time of recording: %q", notes)
	}
}

func TestNameWithoutADirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, filepath.Join(dir, "src", "shop", "Order.java"), "order")
	write(t, filepath.Join(dir, "src", "shop", "Main.java"), "one")
	write(t, filepath.Join(dir, "src", "test", "Main.java"), "another")
	write(t, filepath.Join(dir, "target", "Made.java"), "made by a tool")
	var f Finder
	for path, want := range map[string][]string{"Order.java": {"order"}, "Main.java": nil, "Made.java": nil, "Nothing.java": nil, "/x/Order.java": nil} {
		if got, ok := f.Lines(path); ok != (want != nil) || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v; want %q", path, got, ok, want)
		}
	}
}

func TestChangedSourceIsNoted(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.c"), "x")
	now := time.Now()
	for recorded, want := range map[time.Time]int{now.Add(time.Hour): 0, now.Add(-time.Hour): 1} {
		f := Finder{RecordedAt: recorded}
		f.Lines(path)
		if notes := f.Notes(); len(notes) != want || want == 1 && !strings.Contains(notes[0], "changed") {
			t.Errorf("recorded %v: notes %q", recorded, notes)
		}
	}
}

// Source of a script or a class is found where it was recorded, whatever the working directory.
func TestLinesWhereItWasRecorded(t *testing.T) {
	recorded, here := t.TempDir(), t.TempDir()
	t.Chdir(here)
	write(t, filepath.Join(recorded, "a.pl"), "recorded")
	write(t, filepath.Join(recorded, "src", "com", "acme", "Order.java"), "class")
	write(t, filepath.Join(here, "a.pl"), "another of that name")
	write(t, filepath.Join(here, "b.pl"), "only here")
	f := Finder{RecordedIn: recorded}
	for path, want := range map[string]string{"a.pl": "recorded", "Order.java": "class", "b.pl": "only here"} {
		if got, _ := f.Lines(path); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	f = Finder{RecordedIn: filepath.Join(recorded, "gone")}
	if got, _ := f.Lines("a.pl"); !slices.Equal(got, []string{"another of that name"}) {
		t.Errorf("without the directory: %q", got)
	}
}

// Go records paths of modules with -trimpath.
func TestAPathOfAModule(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "shop", "go.mod"), "// the shop\nmodule example.com/shop\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "shop", "cart", "cart.go"), "package cart")
	cmd := filepath.Dir(write(t, filepath.Join(dir, "shop", "cmd", "main.go"), "package main"))
	t.Chdir(dir)
	for path, want := range map[string]string{
		"example.com/shop/cart/cart.go":   "package cart",
		"example.com/shop/cmd/main.go":    "package main",
		"example.com/shops/cart/cart.go":  "",
		"example.com/other/cart/cart.go":  "",
		"example.com/shop/cart/basket.go": "",
		"internal/bytealg/equal_amd64.s":  "",
	} {
		f := Finder{RecordedIn: cmd}
		lines, ok := f.Lines(path)
		if got := strings.Join(lines, "\n"); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", path, got, ok)
		}
	}
}

// A name is looked for below the directory of what ran before that in which it was recorded.
func TestBeside(t *testing.T) {
	shop, elsewhere := t.TempDir(), t.TempDir()
	write(t, filepath.Join(shop, "run.sh"), "exec java Main")
	write(t, filepath.Join(shop, "src", "Main.java"), "the program's")
	write(t, filepath.Join(shop, "classes", "Main.class"), "")
	write(t, filepath.Join(elsewhere, "test", "Main.java"), "another's")
	t.Setenv("TMPDIR", filepath.Join(elsewhere, "tmp"))
	for _, command := range [][]string{
		{filepath.Join(shop, "run.sh")}, {"java", "-cp", filepath.Join(shop, "classes"), "Main"}, {"java", "-cp", "./classes:/usr/share/java", "Main"},
	} {
		from := elsewhere
		if slices.Contains(command, "./classes:/usr/share/java") {
			from = shop
		}
		dirs := Beside(command, from)
		f := Finder{RecordedIn: elsewhere, Beside: dirs}
		if lines, _ := f.Lines("Main.java"); len(dirs) != 1 || len(lines) != 1 || lines[0] != "the program's" {
			t.Errorf("%q: %q %q", command, dirs, lines)
		}
	}
	for _, command := range [][]string{{"/usr/bin/env", "java"}, {"java", "Main"}, {filepath.Join(shop, "absent.sh")}, nil} {
		if dirs := Beside(command, elsewhere); len(dirs) > 0 {
			t.Errorf("%q: %q", command, dirs)
		}
	}
}
