package hunt

import (
	"os"
	"path/filepath"
	"testing"

	"whyhot/internal/host/tool"
	"whyhot/internal/hunt/candidate"
)

// What is proved is written into the source; a patch that no longer fits changes
// nothing and is told.
func TestApply(t *testing.T) {
	if _, err := tool.Find("patch"); err != nil {
		t.Skip("patch is not installed")
	}
	dir := t.TempDir()
	source, diff, stale := filepath.Join(dir, "a.c"), filepath.Join(dir, "x.diff"), filepath.Join(dir, "y.diff")
	for path, text := range map[string]string{
		source: "int a;\nint b;\n",
		diff:   "--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@\n int a;\n-int b;\n+int c;\n",
		stale:  "--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@\n int q;\n-int r;\n+int s;\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := &hunt{request: Request{Directory: dir}}
	r := &Result{Proved: []Verdict{{Kind: candidate.Patch, Patch: diff}, {Kind: candidate.Patch, Patch: stale}, {Kind: candidate.PGO}}}
	if err := h.apply(t.Context(), r); err == nil {
		t.Error("a patch that does not fit was applied")
	}
	got, err := os.ReadFile(source)
	if err != nil || string(got) != "int a;\nint c;\n" {
		t.Errorf("%q, %v", got, err)
	}
	if !r.Proved[0].Applied || r.Proved[1].Applied {
		t.Errorf("%+v", r.Proved)
	}
}
