package run

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/host/environ"
)

// shifted lengthens the path of a program by slashes before its last part. The
// kernel keeps the name given to execve at the top of the stack (getauxval(3),
// AT_EXECFN), so its length decides where the stack begins, as the size of the
// environment does, without anything that programs look at. Of a script, the
// interpreter gets the name as an argument: it stays as it is.
func shifted(path string, spec Spec) string {
	const longest = 4000 // below PATH_MAX
	if spec.Shift <= 0 || len(path)+spec.Shift > longest || !strings.Contains(path, "/") || !isELF(environ.From(spec.Dir, path)) {
		return path
	}
	dir, name := filepath.Split(path)
	return dir + strings.Repeat("/", spec.Shift) + name
}

func isELF(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	magic := make([]byte, 4)
	_, err = io.ReadFull(f, magic)
	return err == nil && bytes.Equal(magic, []byte("\x7fELF"))
}
