package environ

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// unsetPath is where programs are looked for when PATH is not set: confstr(3),
// _CS_PATH, as the GNU C library has it.
const unsetPath = "/bin:/usr/bin"

// LookPath finds the program that a command runs which is started in a directory
// ("" for the current one) with an environment (nil for this process's own). It
// searches as execvp(3) does: a name with a slash is a path; an entry of PATH that
// is relative starts from the directory, and an empty one is the directory.
//
// The path is the one that execve takes in that directory: relative where the
// name or the entry is. From shows it from here. A program that exists and cannot
// be executed is fs.ErrPermission; when there is none, that is exec.ErrNotFound
// for a name and fs.ErrNotExist for a path.
func LookPath(env []string, dir, name string) (string, error) {
	if strings.Contains(name, "/") {
		if err := executable(From(dir, name)); err != nil {
			return "", &exec.Error{Name: name, Err: err}
		}
		return name, nil
	}
	if name == "" {
		return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
	}
	denied := false
	for _, entry := range Path(env) {
		path := cmp.Or(entry, ".") + "/" + name // not cleaned: .. behind a link is not what it looks like
		err := executable(From(dir, path))
		if err == nil {
			return path, nil
		}
		denied = denied || errors.Is(err, fs.ErrPermission)
	}
	if denied {
		return "", &exec.Error{Name: name, Err: fs.ErrPermission}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// Path are the entries of PATH in an environment, nil for this process's own. ""
// among them is the current directory.
func Path(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	path, set := Lookup(env, "PATH")
	if !set {
		path = unsetPath
	}
	return strings.Split(path, ":") // filepath.SplitList has no entry for ""
}

// From is a path that starts from a directory unless it is absolute.
func From(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// executable says why execve would not run a file: ENOENT, EACCES and the like.
func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "exec", Path: path, Err: unix.EACCES}
	}
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "exec", Path: path, Err: err}
	}
	return nil
}
