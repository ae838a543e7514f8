package rebuild

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/trial/rebuild/cache"
	"whyhot/internal/trial/variant"
)

// keeping is a fixture with a cache, a directory of headers outside of the tree,
// and a build that counts its calls outside of it.
type keeping struct {
	*fixture

	calls, headers string
}

func newKeeping(t *testing.T, limit int64) *keeping {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	f := newFixture(t, "gcc")
	k := &keeping{f, filepath.Join(t.TempDir(), "calls"), filepath.Join(t.TempDir(), "include")}
	k.write(filepath.Join(k.headers, "outside.h"), "#define OUTSIDE 1\n")
	k.o.Work, k.o.Cache = "", cache.In(filepath.Join(t.TempDir(), "cache"), limit)
	k.o.Command = "echo x >>" + k.calls + "; make CFLAGS='-O2 -I" + k.headers + "'"
	return k
}

func (k *keeping) write(path, text string) {
	k.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

// trial prepares the builds, looks that all of them run and say the same, and says
// how many were really built.
func (k *keeping) trial(builds ...*variant.Build) (built int) {
	k.t.Helper()
	count := func() int {
		data, _ := os.ReadFile(k.calls)
		return strings.Count(string(data), "\n")
	}
	before := count()
	w, err := Prepare(k.t.Context(), k.o, builds)
	if err != nil {
		k.t.Fatal(err)
	}
	want := k.output(w, w.Baseline())
	for _, b := range builds {
		if w.Built(b).Same != "" {
			continue // there is nothing to run
		}
		if got := k.output(w, w.Built(b)); got != want {
			k.t.Errorf("%s prints %q, the baseline %q", b.Name(), got, want)
		}
	}
	// What a run leaves in the tree is not there the next time.
	left := filepath.Join(w.Baseline().Dir, "left")
	if _, err := os.Stat(left); err == nil {
		k.t.Error("a file of an earlier run is still there")
	}
	k.write(left, "x")
	if err := w.Close(); err != nil {
		k.t.Fatal(err)
	}
	return count() - before
}

func TestBuildsAreKept(t *testing.T) {
	k := newKeeping(t, 1<<30)
	fast := &variant.Build{CFlags: "-O3"}
	const all = 1 + 1
	if n := k.trial(fast); n != all {
		t.Fatalf("first: %d builds", n)
	}
	if n := k.trial(fast); n != 0 {
		t.Errorf("again: %d builds", n)
	}
	if n := k.trial(fast, &variant.Build{CFlags: "-Os"}); n != 1 {
		t.Errorf("one more variant: %d builds", n)
	}
	for _, c := range []struct {
		what   string
		change func()
		want   int
	}{
		{"a source", func() {
			k.write(filepath.Join(k.root, "lib", "g.c"), strings.Replace(sources["lib/g.c"], "i < 9", "i < 8", 1))
		}, all},
		{"a header outside of the tree", func() { k.write(filepath.Join(k.headers, "outside.h"), "#define OUTSIDE 22\n") }, all},
		{"a header outside of the tree that comes", func() { k.write(filepath.Join(k.headers, "more.h"), "\n") }, all},
		{"the time of a source", func() {
			later := time.Now().Add(time.Hour)
			if err := os.Chtimes(filepath.Join(k.root, "main.c"), later, later); err != nil {
				t.Fatal(err)
			}
		}, all},
		{"a mode", func() {
			if err := os.Chmod(filepath.Join(k.root, "main.c"), 0o640); err != nil {
				t.Fatal(err)
			}
		}, all},
		{"the environment", func() { k.o.Env = append(k.o.Env, "SOMETHING=else") }, all},
		{"a terminal", func() { k.o.Env = append(k.o.Env, "TERM=other", "SSH_TTY=1") }, 0},
		{"the build command", func() { k.o.Command += " " }, all},
		{"what is run", func() { k.o.Run = []string{"./bench", "6000"} }, 0},
	} {
		c.change()
		if n := k.trial(fast); n != c.want {
			t.Errorf("%s: %d builds, want %d", c.what, n, c.want)
		}
	}
	if n := k.trial(fast); n != 0 {
		t.Errorf("nothing: %d builds", n)
	}
	if n, bytes, err := k.o.Cache.Clear(); n == 0 || bytes == 0 || err != nil {
		t.Errorf("%d entries of %d bytes, %v", n, bytes, err)
	}
	if n := k.trial(fast); n != all {
		t.Errorf("cleared: %d builds", n)
	}
}

// What a profile-guided build is trained with decides it, too.
func TestTrainedBuildsAreKept(t *testing.T) {
	k := newKeeping(t, 1<<30)
	pgo := &variant.Build{PGO: true}
	for i, want := range []int{1 + 2, 0} { // they build twice
		if n := k.trial(pgo); n != want {
			t.Errorf("trial %d: %d builds, want %d", i, n, want)
		}
	}
	k.o.Run = []string{"./bench", "6000"}
	if n := k.trial(pgo); n != 2 {
		t.Errorf("trained otherwise: %d builds", n)
	}
}

// A patch counts by its content, scratch files too, and what a build wrote there
// comes back with it.
func TestFilesOfBuildsCount(t *testing.T) {
	k := newKeeping(t, 1<<30)
	scratch := func(text string) *variant.Build {
		dir := t.TempDir()
		k.write(filepath.Join(dir, "plan"), text+dir)
		return &variant.Build{Label: "world", CFlags: "-DPLAN=1 -include " + filepath.Join(k.headers, "outside.h") + " -DWHERE=" + dir, Scratch: dir}
	}
	if n := k.trial(scratch("a")); n != 2 {
		t.Fatalf("first: %d builds", n)
	}
	if n := k.trial(scratch("a")); n != 0 {
		t.Errorf("the same in another place: %d builds", n)
	}
	if n := k.trial(scratch("b")); n != 1 {
		t.Errorf("another plan: %d builds", n)
	}
	world := scratch("a")
	k.write(filepath.Join(world.Scratch, "log"), "as the build would write it")
	if n := k.trial(world); n != 1 {
		t.Errorf("with a log: %d builds", n)
	}
}

func TestKeptBuildsAreBounded(t *testing.T) {
	k := newKeeping(t, 100)
	if n := k.trial(); n != 1 {
		t.Fatal(n)
	}
	if n := k.trial(); n != 1 {
		t.Errorf("a build that is larger than the bound was kept")
	}
}

// Two trials at once do not share a place.
func TestAKeptBuildIsUsedByOneTrial(t *testing.T) {
	k := newKeeping(t, 1<<30)
	first := k.prepare()
	second := k.prepare()
	if first.Baseline().Dir == second.Baseline().Dir {
		t.Error("both run in " + first.Baseline().Dir)
	}
	if k.output(first, first.Baseline()) != k.output(second, second.Baseline()) {
		t.Error("they differ")
	}
}

// A build that was interrupted or failed is not kept.
func TestFailedBuildsAreNotKept(t *testing.T) {
	k := newKeeping(t, 1<<30)
	wrong := &variant.Build{CFlags: "-fnonsense"}
	for range 2 {
		w := k.prepare(wrong)
		if w.Built(wrong).Failed == "" {
			t.Error("it did not fail")
		}
		_ = w.Close()
	}
	data, _ := os.ReadFile(k.calls)
	if n := strings.Count(string(data), "\n"); n != 3 {
		t.Errorf("%d builds: the baseline once, the wrong one twice", n)
	}
}
