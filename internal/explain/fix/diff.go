package fix

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff is the unified diff of all changes, with a/ and b/ before paths that are
// relative to root. A file outside root keeps its whole path.
func Diff(changes []Change, root string) string {
	var b strings.Builder
	for _, c := range changes {
		name := c.Path
		if rel, err := filepath.Rel(root, c.Path); err == nil && !strings.HasPrefix(rel, "..") {
			name = rel
		}
		text := diff.Diff("a/"+name, c.Before, "b/"+name, c.After)
		// Its first line is a command line, which patch takes for garbage.
		if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
			b.Write(rest)
		}
	}
	return b.String()
}
