package revision

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The working tree counts as it is: new files too, ignored ones not, and git's own
// directory stays as it was.
func TestWorkingTree(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir+"/a.c", "1\n2\n3\n4\n")
	write(t, dir+"/gone.c", "x\n")
	write(t, dir+"/.gitignore", "*.o\n")
	write(t, dir+"/.gitattributes", "bench.c export-ignore\n")
	write(t, dir+"/bench.c", "b\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "one")
	write(t, dir+"/a.c", "1\ntwo\n3\n")
	write(t, dir+"/a.o", "object")
	write(t, dir+"/new file.c", "n\n")
	if err := os.Remove(dir + "/gone.c"); err != nil {
		t.Fatal(err)
	}
	before := count(t, dir+"/.git")
	r, err := Open(t.Context(), dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	base, found, err := r.Fork(t.Context(), "HEAD", "HEAD")
	if err != nil || !found {
		t.Fatal(base, found, err)
	}
	head, err := r.WorkingTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Diff(t.Context(), base, head)
	if err != nil {
		t.Fatal(err)
	}
	want := []File{
		{Path: "a.c", Was: "a.c", Lines: []Span{{2, 2, ""}, {3, 4, ""}}},
		{Path: "gone.c", Was: "gone.c", Gone: true},
		{Path: "new file.c", Lines: []Span{{1, 1, ""}}},
	}
	if !reflect.DeepEqual(d.Files, want) {
		t.Errorf("%+v", d.Files)
	}
	if !d.Touches("a.c", 2) || d.Touches("a.c", 1) || !d.TouchesAny("new file.c", 1, 9) || d.Touches("gone.c", 1) {
		t.Error("the lines that are touched")
	}
	to, when := t.TempDir()+"/out", time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := r.Export(t.Context(), head, to, when); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.c": "1\ntwo\n3\n", "new file.c": "n\n", "bench.c": "b\n"} {
		if data, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if info, err := os.Stat(to + "/a.c"); err != nil || !info.ModTime().Equal(when) {
		t.Error("the time of a file")
	}
	for _, none := range []string{"a.o", "gone.c"} {
		if _, err := os.Stat(filepath.Join(to, none)); err == nil {
			t.Errorf("%s is there", none)
		}
	}
	if after := count(t, dir+"/.git"); after != before {
		t.Errorf("the repository has %d files, had %d", after, before)
	}
	if _, err := r.Commit(t.Context(), "nowhere"); err == nil {
		t.Error("a revision that is not there")
	}
}

// A change is compared with where it left the base, not with what came later.
func TestFork(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir+"/a", "1")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "one")
	git(t, dir, "branch", "change")
	write(t, dir+"/later", "1")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "later")
	r, err := Open(t.Context(), dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fork, found, err := r.Fork(t.Context(), "main", "change")
	if err != nil || !found || r.Has(t.Context(), fork, "later") || !r.Has(t.Context(), fork, "a") {
		t.Error(fork, found, err)
	}
}

func count(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(string, os.DirEntry, error) error { n++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func FuzzParse(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n")
	f.Add("diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nnew file mode 100644\n@@ -0,0 +1 @@\n+--- a/no\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parse(text)
		if err != nil {
			return
		}
		for _, f := range d.Files {
			for _, s := range f.Lines {
				if s.Last < s.First {
					t.Errorf("%q: %+v", text, f)
				}
			}
		}
	})
}

// A file that is written in the moment in which git wrote its index has the same size and
// times as the one that git knows; only the time of the index tells that it has to be read.
func TestAFileOfTheIndexsMoment(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	git(t, dir, "config", "core.trustctime", "false") // in one moment this time is the same, too
	moment := time.Date(2026, 11, 23, 10, 11, 12, 0, time.UTC)
	at := func(path string) {
		if err := os.Chtimes(path, moment, moment); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir+"/cost", "100\n")
	at(dir + "/cost")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "one")
	at(dir + "/.git/index")
	write(t, dir+"/cost", "104\n")
	at(dir + "/cost")
	r, err := Open(t.Context(), dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.WorkingTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Diff(t.Context(), "HEAD", head)
	if err != nil || len(d.Files) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// A function of a program without line numbers is where the change touches it, by the heads
// that git gives.
func TestOf(t *testing.T) {
	t.Parallel()
	d, err := parse("diff --git a/src/x.c b/src/x.c\n--- a/src/x.c\n+++ b/src/x.c\n" +
		"@@ -10 +10 @@ static int scan_all(const char *p)\n-a\n+b\n" +
		"@@ -40,0 +41,2 @@ void Parser::scan(std::string text)\n+a\n+b\n" +
		"@@ -90 +92 @@\n-a\n+b\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"scan_all": 10, "scan_all.constprop.0": 10, "Parser::scan(std::string)": 41, "scan": 41, "can_all": 0, "main": 0, "": 0, "(anonymous)": 0,
	} {
		path, line, ok := d.Of(name)
		if line != want || ok != (want > 0) || ok && path != "src/x.c" {
			t.Errorf("%q: %s:%d, %v", name, path, line, ok)
		}
	}
}
