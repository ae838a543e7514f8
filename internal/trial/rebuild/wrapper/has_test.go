package wrapper

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What most sources are built with already is read from the calls.
func TestHas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls")
	text := "compile:-O2:native:lto\tgcc\t/t\ta.c\ncompile::native\tgcc\t/t\tb.c\ncompile:-O3:native\tgcc\t/t\tc.c\nlink:native:lto\tgcc\t/t\t\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := ReadLog(path)
	if err != nil || l.Native != 3 || l.LTO != 1 || l.Compiles != 3 || l.Levels["-O0"] != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if has := l.Has(); !slices.Equal(has, []string{"cflags=-march=native"}) {
		t.Errorf("%q", has)
	}
}
