package locate

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/host/tooltest"
)

// container makes a root directory with a stripped program /opt/p and its debug file
// beside it; it gives the program, open, and the debug file's path.
func container(t *testing.T) (root string, bin *extract.File, debug string) {
	t.Helper()
	root = t.TempDir()
	opt := filepath.Join(root, "opt")
	source, path := filepath.Join(root, "p.c"), filepath.Join(opt, "p")
	debug = filepath.Join(opt, "p.debug")
	if err := os.MkdirAll(opt, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }"), 0o600); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, "cc", "-g", "-Wl,--build-id", "-o", path, source)
	tooltest.Run(t, "objcopy", "--only-keep-debug", path, debug)
	tooltest.Run(t, "objcopy", "--strip-all", "--add-gnu-debuglink="+debug, path)
	f, err := openIn(root, "/opt/p")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return root, f.File, debug
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestPlaces(t *testing.T) {
	root, bin, debug := container(t)
	id := bin.BuildID()
	for _, place := range []string{
		"/opt/p.debug", "/opt/.debug/p.debug", "/usr/lib/debug/opt/p.debug", "/usr/lib/debug/.build-id/" + id[:2] + "/" + id[2:] + ".debug",
	} {
		if to := filepath.Join(root, place); to != debug {
			move(t, debug, to)
			debug = to
		}
		f := Debug([]string{"/nowhere", root}, "/opt/p", bin)
		if f == nil {
			t.Errorf("%s was not found", place)
			continue
		}
		if f.Path != place || !f.HasDWARF() {
			t.Errorf("%s, want %s", f.Path, place)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAnotherFilesDebugInformation(t *testing.T) {
	root, bin, debug := container(t)
	_, _, other := container(t)
	data, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	// The same source in another directory: another build ID.
	if err := os.WriteFile(debug, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if f := Debug([]string{root}, "/opt/p", bin); f != nil {
		_ = f.Close()
		t.Error("the debug file of another program was taken")
	}
}

// Links of a container mean files of the container, and what is no file is not waited
// for.
func TestLinksStayInTheRoot(t *testing.T) {
	root, bin, debug := container(t)
	outside := filepath.Join(t.TempDir(), "outside.debug")
	move(t, debug, outside)
	if err := os.Symlink(outside, debug); err != nil {
		t.Fatal(err)
	}
	if f := Debug([]string{root}, "/opt/p", bin); f != nil {
		_ = f.Close()
		t.Error("a link led out of the root directory")
	}
	inside := filepath.Join(root, outside)
	move(t, outside, inside)
	f := Debug([]string{root}, "/opt/p", bin)
	if f == nil {
		t.Fatal("an absolute link within the root directory was not followed")
	}
	_ = f.Close()
	if err := os.Remove(inside); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(inside, 0o600); err != nil {
		t.Fatal(err)
	}
	if f := Debug([]string{root}, "/opt/p", bin); f != nil {
		t.Error("a pipe was taken")
	}
}

func TestRootAfterChroot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("chroot needs root")
	}
	dir := t.TempDir()
	source, path := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(source, []byte("#include <unistd.h>\nint main(void) { char c; return read(0, &c, 1) < 0; }"), 0o600); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, "cc", "-static", "-o", path, source)
	cmd := exec.CommandContext(t.Context(), "/p")
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("chroot is refused: %v", err)
	}
	f, err := OpenIn(Root(cmd.Process.Pid, path))
	if err != nil {
		t.Error(err)
	} else {
		_ = f.Close()
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
	if root, inside := Root(os.Getpid(), "/usr/bin/x"); inside != "/usr/bin/x" || root == "" {
		t.Errorf("without chroot: %s %s", root, inside)
	}
}
