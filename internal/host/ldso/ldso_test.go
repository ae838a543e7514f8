package ldso

import (
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestDirsOfTheConfigurationComeFirst(t *testing.T) {
	root := t.TempDir()
	write(t, root, "/etc/ld.so.conf", "# local\ninclude ld.so.conf.d/*.conf\ninclude /etc/ld.so.conf\n/opt/last\n")
	write(t, root, "/etc/ld.so.conf.d/x.conf", "/opt/a:/opt/b # ours\n/usr/lib\n")
	for _, dir := range []string{"/usr/lib", "/lib/x86_64-linux-gnu"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for _, dir := range []string{"/opt/a", "/opt/b", "/usr/lib", "/opt/last", "/lib/x86_64-linux-gnu", "/lib"} {
		want = append(want, filepath.Join(root, dir))
	}
	if got := Dirs(root); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestFindTakesTheMachinesOwn(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	f, err := elf.Open(self)
	if err != nil {
		t.Skip(err)
	}
	machine := f.Machine
	_ = f.Close() // only read from
	first, second := t.TempDir(), filepath.Dir(self)
	write(t, first, filepath.Base(self), "not a library")
	if got, ok := Find(filepath.Base(self), []string{first, second}, machine); !ok || got != self {
		t.Errorf("%q, %v", got, ok)
	}
	if got, ok := Find(filepath.Base(self), []string{first, second}, elf.EM_SPARC); ok {
		t.Errorf("found %q for another machine", got)
	}
}
