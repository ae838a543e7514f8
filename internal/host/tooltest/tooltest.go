// Package tooltest runs compilers and other tools for tests, and builds small
// programs with them. Only tests import it.
//
// A tool that is not installed skips the test, but fails it where CI is set: there
// everything is installed. Of ours it imports host/tool alone.
package tooltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/host/tool"
)

// Find gives the path of the first of the tools that is installed.
func Find(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := tool.Find(name); err == nil {
			return path
		}
	}
	Missingf(t, "needs %s", strings.Join(names, " or "))
	return ""
}

// Missingf ends a test that lacks something.
func Missingf(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Run runs a tool to its end; its failure is the test's. A path is that of a program which
// the test has built: it is run, and not asked first whether it starts.
func Run(t *testing.T, name string, args ...string) {
	t.Helper()
	path := name
	if !strings.Contains(name, "/") {
		path = Find(t, name)
	}
	if out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// Compile writes source to a file of that name in a fresh directory and compiles it
// there. It gives the path of the program, which has the file's name without its
// extension: Compile(t, "gcc", "a.c", "int main(void) { return 0; }", "-O2") is DIR/a.
func Compile(t *testing.T, compiler, file, source string, flags ...string) string {
	t.Helper()
	in := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	out := strings.TrimSuffix(in, filepath.Ext(in))
	Run(t, compiler, append([]string{in, "-o", out}, flags...)...)
	return out
}
