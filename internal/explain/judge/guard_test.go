package judge

import (
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	var notes []string
	Guard("nothing", &notes, func() {})
	if len(notes) != 0 {
		t.Fatal(notes)
	}
	var lines []string
	Guard("rule x", &notes, func() { _ = lines[len(notes)+1] })
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "An internal error left rule x out: runtime error: index out of range [1] with length 0 (guard_test.go:") {
		t.Error(notes)
	}
}
