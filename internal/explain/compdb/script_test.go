package compdb

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"whyhot/internal/host/tooltest"
)

// A tree as automake makes it: every makefile knows how to make itself, by a recipe that
// calls make, and make runs such a recipe even where it only prints.
func TestScriptLeavesMakefilesAlone(t *testing.T) {
	tooltest.Find(t, "make")
	tooltest.Find(t, "awk")
	script, err := filepath.Abs("../../../scripts/compile-commands")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	const itself = `
Makefile: Makefile.in
	@echo remade >> remade.log; cat Makefile.in > $@; test -n x || $(MAKE) refresh
`
	const top = "all: Makefile a.o\n\t$(MAKE) -C sub all\na.o: a.c\n\tcc -c a.c\n" + itself
	const sub = "all: Makefile b.o\nb.o: b.c\n\tcc -c b.c\n" + itself
	for name, text := range map[string]string{
		"Makefile.in": top, "Makefile": top, "a.c": "", "a.o": "",
		"sub/Makefile.in": sub, "sub/Makefile": sub, "sub/b.c": "", "sub/b.o": "",
	} {
		write(t, dir, name, text)
	}
	cmd := exec.CommandContext(t.Context(), script, dir, "-B")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, log := range []string{"remade.log", "sub/remade.log"} {
		if _, err := os.Stat(filepath.Join(dir, log)); err == nil {
			t.Errorf("%s: a makefile was made again", log)
		}
	}
	units, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(units) != 2 {
		t.Errorf("%d units, want 2: %v", len(units), units)
	}
}
