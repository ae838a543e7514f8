package astfinding

import (
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
)

// Two threads that update neighbours are told; a word of its own is not.
func TestBitFieldsOfOtherThreads(t *testing.T) {
	binary := analyzertest.Path(t)
	notes := map[string]string{}
	for _, m := range matchesOf(t, binary, filepath.Join("..", "..", "..", "..", "analyzer", "test", "ast", "bitfield_threads.cpp"), nil) {
		notes[m.Function] += strings.Join(m.Notes, "\n")
	}
	for function, want := range map[string]string{"worker": "mainLoop updates done of the same word in another thread", "mainLoop": "worker updates busy"} {
		if !strings.Contains(notes[function], want) {
			t.Errorf("%s: the notes lack %q: %q", function, want, notes[function])
		}
		if strings.Contains(notes[function], "lone") {
			t.Errorf("%s: the word of lone is another one: %q", function, notes[function])
		}
	}
}
