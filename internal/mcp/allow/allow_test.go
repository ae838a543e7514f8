package allow

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	r, err := New(t.TempDir(), File{Commands: []string{"./bench *", "make -j2", "echo 'a b'"}, Try: Try{Workload: "./app in.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{
		"./bench": true, "./bench a b": true, "make -j2": true, "make -j2 install": false, "make": false,
		"./app in.txt": true, "./app other.txt": false, "sh -c ./bench": false, "echo|a b": true, "echo|a|b": false,
	} {
		sep := " "
		if strings.Contains(line, "|") {
			sep = "|"
		}
		if err := r.Command(strings.Split(line, sep)); (err == nil) != want {
			t.Errorf("%s: %v", line, err)
		}
	}
	err = r.Command([]string{"rm", "-rf", "it's"})
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok || !strings.Contains(refused.Add, "commands:\n  - '") {
		t.Fatalf("%v", err)
	}
	r.Agree([]string{"rm", "-rf", "it's"})
	if err := r.Command([]string{"rm", "-rf", "it's"}); err != nil {
		t.Error(err)
	}
	if err := r.Command([]string{"rm", "-rf", "/"}); err == nil {
		t.Error("agreed to one, allowed another")
	}
}

func TestPathsStayInside(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(other, "f"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	r, err := New(root, File{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"link", "../" + filepath.Base(other) + "/f", filepath.Join(other, "f"), "/etc/passwd", "nowhere"} {
		if _, err := r.Path(path); err == nil {
			t.Errorf("%s may be read", path)
		}
	}
	if r, err = New(root, File{Directories: []string{other}}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Path("link"); err != nil {
		t.Error(err)
	}
}

func TestWithoutAFileNothingMayBeRun(t *testing.T) {
	r, err := Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if r.Command([]string{"true"}) == nil || r.Network() == nil {
		t.Error("something is allowed")
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"commands: ['*']\n": "first word", "budget: 3h\n": "budget", "commandos: []\n": "unknown field",
	} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, Name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
