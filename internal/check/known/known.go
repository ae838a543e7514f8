// Package known keeps findings that a project has accepted, so that a check is silent
// about them.
//
// It owns the file: one finding a line, its identity first, then words for people. An
// identity has no line number, so that it holds when lines move. It takes and gives
// identities, and imports of this module internal/host alone.
package known

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"whyhot/internal/host/wholefile"
)

// Entry is a finding.
type Entry struct {
	ID    string
	Words string // for people; what is read has none that matter
}

const head = `# Findings that are known: whyhot check --known FILE is silent about them.
# One a line, its identity first. whyhot check --accept writes the file.
`

// Read gives the words of a file's findings, by identity. A file that is not there has
// none.
func Read(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("known findings: %w", err)
	}
	defer func() { _ = f.Close() }()
	out, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("known findings in %s: %w", path, err)
	}
	return out, nil
}

func parse(r io.Reader) (map[string]string, error) {
	out := map[string]string{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if !strings.Contains(words[0], "-") {
			return nil, fmt.Errorf("line %d: %.40q is no identity of a finding, such as slow-loop-1a2b3c4d", n, words[0])
		}
		out[words[0]] = strings.Join(words[1:], " ")
	}
	return out, lines.Err()
}

// Write replaces a file by one with these findings.
func Write(path string, entries []Entry) error {
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	err := wholefile.Write(path, 0o644, func(f *os.File) error {
		w := bufio.NewWriter(f)
		_, _ = w.WriteString(head) // an error comes again at Flush
		for _, e := range slices.CompactFunc(entries, func(a, b Entry) bool { return a.ID == b.ID }) {
			_, _ = w.WriteString(strings.TrimSpace(e.ID+"  "+strings.Join(strings.Fields(e.Words), " ")) + "\n")
		}
		return w.Flush()
	})
	if err != nil {
		return fmt.Errorf("known findings: %w", err)
	}
	return nil
}
