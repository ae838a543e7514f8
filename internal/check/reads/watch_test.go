package reads

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// What a program executes, reads and lists is seen; what it only asks about is not.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"run": "#!/bin/sh\nread -r x < data/in\ntest -e other\necho data/*.in > /dev/null\n", "data/in": "1\n", "other": "2\n", "cold/c": "3\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Start(dir)
	if err != nil {
		t.Skipf("directories cannot be watched here: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "run"))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	opened, err := w.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(opened.Files)); !slices.Equal(got, []string{"data/in", "run"}) {
		t.Errorf("files %q", got)
	}
	if got := slices.Sorted(maps.Keys(opened.Lists)); !slices.Equal(got, []string{"data"}) {
		t.Errorf("lists %q", got)
	}
}
