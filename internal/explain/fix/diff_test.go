package fix_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/fix"
)

// A patch has paths that git apply and patch -p1 take, wherever it was written.
func TestRootOfADiff(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"repo/.git", "repo/src", "repo/build", "plain/src", "plain/build", "elsewhere"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ cwd, build, file, want, name string }{
		{"repo/src", "repo/build", "repo/src/a.c", "repo/src", "a.c"},
		{"elsewhere", "repo/build", "repo/src/a.c", "repo", "src/a.c"},
		{"repo/build", "repo/build", "repo/src/a.c", "repo", "src/a.c"},
		{"elsewhere", "plain/build", "plain/src/a.c", "plain", "src/a.c"},
		{"elsewhere", "plain", "plain/src/a.c", "plain", "src/a.c"},
	} {
		changes := []fix.Change{{Path: filepath.Join(top, x.file), Before: []byte("a\n"), After: []byte("b\n")}}
		root := fix.Root(changes, filepath.Join(top, x.cwd), filepath.Join(top, x.build))
		if root != filepath.Join(top, x.want) {
			t.Errorf("in %s: %s", x.cwd, root)
		}
		if diff := fix.Diff(changes, root); !strings.HasPrefix(diff, "--- a/"+x.name+"\n+++ b/"+x.name+"\n") {
			t.Errorf("in %s:\n%s", x.cwd, diff)
		}
	}
}
