package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadTakesTheStandardInput(t *testing.T) {
	f, err := Load("-", strings.NewReader("benchmarks: [{name: a, command: prog}]"))
	if err != nil || f.Name != "suite" || f.Dir != "." || len(f.Benchmarks) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestMoveInto(t *testing.T) {
	top := t.TempDir()
	if err := os.Mkdir(filepath.Join(top, "bench"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := &File{Dir: filepath.Join(top, "bench")}
	if err := f.MoveInto(top); err != nil || f.Dir != "bench" {
		t.Errorf("%s, %v", f.Dir, err)
	}
	f = &File{Dir: top}
	if err := f.MoveInto(filepath.Join(top, "bench")); err == nil || !strings.Contains(err.Error(), "in the tree") {
		t.Error(err)
	}
}
