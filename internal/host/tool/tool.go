// Package tool finds the programs of others that whyhot calls: compilers, valgrind,
// patch, BOLT.
//
// It owns the answer to "is it here". It takes names, and gives the path of the first
// program of a name on PATH that starts. One that only stands for a tool which is not
// installed counts as absent: rustup's rustc without a toolchain, Ubuntu's perf without
// the tools of the running kernel, the shim of a version manager. It must never import
// another package of this module.
package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a tool may take to tell its version. It is that long for the
// sake of busy machines; what hangs is no tool.
const patience = time.Minute

// questions are what tools answer with status 0, one of them each: java of old knows
// -version alone, go version, and busybox --help.
var questions = [][]string{{"--version"}, {"version"}, {"-version"}, {"--help"}}

// Find gives the path of the first program that starts: of the first name on PATH, then
// of the next. A name with a slash is the path of a program. The error wraps
// exec.ErrNotFound; where a program is there and does not start, it says what that said.
func Find(names ...string) (string, error) {
	var stubs []string
	for _, name := range names {
		for _, path := range candidates(name) {
			said := starts(path)
			if said == "" {
				return path, nil
			}
			stubs = append(stubs, path+" does not start: "+said)
		}
	}
	err := fmt.Errorf("%s: %w", strings.Join(names, " or "), exec.ErrNotFound)
	if len(stubs) > 0 {
		err = fmt.Errorf("%w (%s)", err, strings.Join(stubs, "; "))
	}
	return "", err
}

// candidates are the executable files of a name, in the order of PATH.
func candidates(name string) []string {
	if strings.Contains(name, "/") {
		if !executable(name) {
			return nil
		}
		return []string{name}
	}
	var out []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(path) && executable(path) {
			out = append(out, path)
		}
	}
	return out
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && unix.Access(path, unix.X_OK) == nil
}

// answers are what programs said when they were asked: by what decides that, a function
// that asks once.
var answers sync.Map

// starts says why a program does not start, "" where it does. Each is asked once.
func starts(path string) string {
	// A stub finds what it stands for by HOME, as rustup's does.
	key := path + "\x00" + os.Getenv("HOME")
	ask, _ := answers.LoadOrStore(key, sync.OnceValue(func() string { return firstFailure(path) }))
	return ask.(func() string)() //nolint:forcetypeassert // only this function stores there
}

func firstFailure(path string) string {
	said := ""
	for i, q := range questions {
		ctx, done := context.WithTimeout(context.Background(), patience)
		out, err := exec.CommandContext(ctx, path, q...).CombinedOutput()
		late := ctx.Err() != nil
		done()
		if err == nil {
			return ""
		}
		if i > 0 {
			continue
		}
		said = err.Error()
		if line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); line != "" {
			said += ": " + line
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || late {
			break // its interpreter is missing, say: no other question helps
		}
	}
	return said
}
