package fix_test

import (
	"os"
	"path/filepath"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/fix"
)

// A build beside its sources reaches them through a symbolic link. The fixed text has to
// be what its compiler reads, or nothing is gained.
func TestSourcesThroughALink(t *testing.T) {
	t.Parallel()
	binary := analyzertest.Path(t)
	f := readFixture(t, "../../../analyzer/test/fix/hoist_in_list.c")
	dir := t.TempDir()
	build := filepath.Join(dir, "build")
	for _, d := range []string{build, filepath.Join(dir, "project", "lib")} {
		if err := os.MkdirAll(d, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../project", filepath.Join(build, "src")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "project", "lib", "x.c"), f.text, 0o600); err != nil {
		t.Fatal(err)
	}
	unit, err := compdb.FromCommand(build, "src/lib/x.c", append(append([]string{f.compiler()}, f.flags...), "-c", "src/lib/x.c"))
	if err != nil {
		t.Fatal(err)
	}
	o := fix.Options{Binary: binary, Units: []compdb.Unit{unit}, Workers: 1}
	p, err := fix.Propose(t.Context(), o, fix.Place{File: unit.File, Line: f.line}, []string{f.kind})
	if err != nil || !p.Sound() {
		t.Errorf("not fixed: %v %v; effect %q", err, p.Refusals, p.Effect)
	}
}
