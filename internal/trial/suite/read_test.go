package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/trial"
)

const twoCommands = `{"results": [
 {"command": "old", "times": [2.0, 2.1, 2.05, 2.02, 2.03], "exit_codes": [0, 0, 0, 0, 0]},
 {"command": "new", "times": [1.0, 1.1, 1.05, 1.02, 1.03], "exit_codes": [0, 0, 0, 0, 0]}]}`

func TestReadTakesTheStandardInput(t *testing.T) {
	for _, m := range []trial.Metric{"", trial.Wall} {
		r, err := Read([]string{"-"}, strings.NewReader(twoCommands), m)
		if err != nil || r.Benchmarks[0].Variants[0].Verdict != trial.Faster {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if _, err := Read([]string{"-"}, strings.NewReader(twoCommands), trial.Memory); err == nil || !strings.Contains(err.Error(), "wall and cpu only") {
		t.Error(err)
	}
	if _, err := Read([]string{"nowhere.json"}, nil, ""); err == nil {
		t.Error("a file that is not there")
	}
}

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
