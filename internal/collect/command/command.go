// Package command starts the program that the user asks to record, holds it
// back until a sampler is attached, and tells how it ended.
//
// It owns the child process: its streams (passed through untouched), its signals
// and its exit status. It takes an argument list and gives a Process. It must
// never import a sampler or anything that knows what a profile is.
package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"whyhot/internal/host/environ"
)

// Exit codes that shells give to a command that could not be started.
const (
	CodeNotExecutable = 126
	CodeNotFound      = 127
)

// StartError says that the command could not be started. Code is what a shell
// would have exited with.
type StartError struct {
	Code int
	Err  error
}

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// Find returns the file that a command runs, as a shell with that environment
// (nil for this process's) would look it up.
func Find(env []string, name string) (string, error) { return FindIn("", env, name) }

// FindIn is Find for a command that runs in a directory, "" for this process's.
func FindIn(dir string, env []string, name string) (string, error) {
	path, err := environ.LookPath(env, dir, name)
	switch {
	case err == nil:
		return path, nil
	case isDir(name):
		return "", &StartError{CodeNotExecutable, fmt.Errorf("cannot run %q: it is a directory", name)}
	case errors.Is(err, fs.ErrPermission):
		return "", &StartError{CodeNotExecutable, fmt.Errorf("cannot run %q: it is not executable (chmod +x makes it so)", name)}
	case strings.Contains(name, "/"):
		return "", &StartError{CodeNotFound, fmt.Errorf("command not found: %q does not exist", name)}
	}
	return "", &StartError{CodeNotFound, fmt.Errorf("command not found: no %q in PATH", name)}
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return strings.Contains(name, "/") && err == nil && info.IsDir()
}

// startError classifies what exec said when Find saw nothing wrong.
func startError(name string, err error) error {
	if errors.Is(err, syscall.ENOEXEC) {
		return &StartError{CodeNotExecutable, fmt.Errorf("cannot run %q: neither an executable for this machine nor a script with a #! line", name)}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &StartError{CodeNotFound, fmt.Errorf("cannot run %q: the interpreter that it names does not exist", name)}
	}
	return &StartError{CodeNotExecutable, fmt.Errorf("cannot run %q: %w", name, err)}
}
