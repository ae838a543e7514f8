package perf

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"whyhot/internal/collect/burn"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/profile"
)

// What is at its path is not held; what was removed while it runs is, by its build
// ID, and a copy of it is left where there are samples.
func TestWhatIsKept(t *testing.T) {
	program, dir := burn.Build(t), t.TempDir()
	pid := start(t, []string{program, "forever", "1"})
	bin, err := elffile.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	id := bin.BuildID()
	bin.Close()
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	k := newKept()
	k.look(pid, wholeLook)
	if len(k.files) > 0 {
		t.Errorf("held of a program in its place: %v", k.files)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	k.look(pid, wholeLook)
	if err := k.link(dir); err != nil {
		t.Fatal(err)
	}
	linked, err := os.ReadFile(byBuildID(dir, id))
	if err != nil {
		t.Skipf("files that a process has mapped cannot be opened here: %v", err)
	}
	if !bytes.Equal(linked, content) {
		t.Errorf("the link leads to %d bytes of %d", len(linked), len(content))
	}
	b := profile.NewBuilder()
	b.Mapping(profile.Mapping{Path: program, BuildID: id})
	b.Mapping(profile.Mapping{Path: "/else", BuildID: "a"})
	if err := k.settle(dir, b.Build(profile.Meta{})); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadFile(byBuildID(dir, id))
	if err != nil || !bytes.Equal(left, content) {
		t.Errorf("%d bytes of %d are left, %v", len(left), len(content), err)
	}
	if _, err := os.Readlink(byBuildID(dir, id)); err == nil {
		t.Error("a link is left in the place of a copy")
	}
}

// A process that sees other files: each program is compared with what is here.
func TestFilesOfAForeignProcess(t *testing.T) {
	k := newKept()
	k.root = "somewhere else"
	k.look(os.Getpid(), quickLook)
	if len(k.files) == 0 {
		t.Fatal("no file was looked at")
	}
	for key, f := range k.files {
		if f != nil {
			t.Errorf("%s is in its place and is held", key)
		}
	}
	before := len(k.files)
	for _, line := range []string{
		"", "7f00-7f01 r-xp 0 00:00 0", "7f00-7f01 r--p 0 08:01 7 /lib/x", "7f00-7f01 r-xp 0 00:00 0 [vdso]", "7f00-7f01 r-xp 0 08:01 7 relative",
	} {
		k.mapping(os.Getpid(), line)
	}
	if len(k.files) != before {
		t.Errorf("%v", k.files)
	}
	k.mapping(os.Getpid(), "0-1 r-xp 0 08:01 7 "+filepath.Join(t.TempDir(), "a b"))
	if len(k.files) != before+1 {
		t.Error("a path with a space was passed over")
	}
	k.close()
}
