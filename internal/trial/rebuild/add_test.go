package rebuild

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/trial/variant"
)

// Builds that are added stand beside those that are there; what is made is not
// made again.
func TestAddBuildsWhatIsMissing(t *testing.T) {
	f := newFixture(t, "gcc")
	f.o.Jobs = 1
	var steps []string
	f.o.Progress = func(s Step) {
		if s.What == "build" {
			steps = append(steps, s.Name)
		}
	}
	fast := &variant.Build{CFlags: "-O3"}
	w := f.prepare(fast)
	before := *w.Built(fast)
	small, wrong := &variant.Build{CFlags: "-Os"}, &variant.Build{CFlags: "-fnonsense"}
	if w.Built(small) != nil {
		t.Error("a build is there before it is made")
	}
	if err := w.Add(t.Context(), []*variant.Build{fast, small, wrong, small}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"baseline", "-O3", "-Os", "-fnonsense"}; !slices.Equal(steps, want) {
		t.Errorf("built %q, want %q", steps, want)
	}
	if w.Built(fast).Dir != before.Dir || w.Built(small).Dir == before.Dir || w.Built(small).Failed != "" || w.Built(wrong).Failed == "" || len(w.Failures) != 1 {
		t.Errorf("%+v, %+v, %+v", w.Built(fast), w.Built(small), w.Built(wrong))
	}
	want := f.output(w, w.Baseline())
	for _, b := range []*variant.Build{fast, small} {
		if got := f.output(w, w.Built(b)); got != want {
			t.Errorf("%s prints %q, the baseline %q", b.Name(), got, want)
		}
	}
	if err := w.Close(); err != nil || len(f.left()) > 1 { // the log of the failed build stays
		t.Errorf("%v stays behind, %v", f.left(), err)
	}
}

// A patch that is not there is told before anything is built.
func TestAddChecksFirst(t *testing.T) {
	f := newFixture(t, "gcc")
	w := f.prepare()
	err := w.Add(t.Context(), []*variant.Build{{CFlags: "-O3"}, {Patches: []string{"nowhere.diff"}}})
	if err == nil || w.Built(&variant.Build{CFlags: "-O3"}) != nil {
		t.Errorf("%v, %+v", err, w.made)
	}
}

// The layouts of a build run their own programs, also where the command names the
// program by its whole path.
func TestLayoutsRunTheirOwnPrograms(t *testing.T) {
	f := newFixture(t, "gcc")
	f.o.Run = []string{filepath.Join(f.root, "bench"), "100"}
	b := &variant.Build{CFlags: "-O3"}
	w := f.prepare(b)
	var more []*variant.Build
	for _, l := range append(variant.Alignments(nil, 2), variant.Alignments(b, 2)...) {
		more = append(more, l.Build)
	}
	if err := w.Add(t.Context(), more); err != nil {
		t.Fatal(err)
	}
	for _, of := range []*variant.Build{nil, b} {
		layouts := w.Layouts(of, 3)
		if layouts[0].Dir != "" || layouts[0].Command != nil || len(layouts) < 2 {
			t.Fatalf("%+v", layouts)
		}
		for _, l := range layouts[1:] {
			if !strings.HasPrefix(l.Command[0], l.Dir) {
				t.Errorf("%s runs %s, not a program of %s", l.Name, l.Command[0], l.Dir)
			}
			if _, err := os.Stat(l.Command[0]); err != nil {
				t.Error(err)
			}
		}
	}
}

// What lies beside the tree is found from a copy, too; what lies in it is the copy's.
func TestInputBesideTheTree(t *testing.T) {
	f := newFixture(t, "gcc")
	input := filepath.Join(filepath.Dir(f.root), "input")
	if err := os.WriteFile(input, []byte("beside"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.o.Run = []string{"cat", "../input", "lib/../Makefile"}
	w := f.prepare()
	if got := f.output(w, w.Baseline()); got != "beside"+sources["Makefile"] {
		t.Error(got)
	}
	f.o.Run = []string{"./bench", "--in=../input", "--to=../new/out", "..", "a..b", "-I../project/lib"}
	w = f.prepare()
	want := []string{"./bench", "--in=" + input, "--to=../new/out", filepath.Dir(f.root), "a..b", "-I../project/lib"}
	if got := w.Command(w.Baseline()); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
