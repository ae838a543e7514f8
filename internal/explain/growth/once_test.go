package growth

import (
	"os"
	"path/filepath"
	"testing"

	"whyhot/internal/explain/judge"
)

// A line of what a program begins with, outside of loops, has no next time.
func TestLinesThatRunOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.c")
	const code = `int main(void) {
  parse();
  for (int i = 0; i < n; i++)
    add(i);
  finish();
}
void finish(void) {
  emit();
}
`
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   Place
		want bool
	}{
		{Place{Function: "main", File: file, Line: 2}, true},
		{Place{Function: "main", File: file, Line: 5}, true},
		{Place{Function: "main", File: file, Line: 4}, false},      // in a loop
		{Place{Function: "main", File: file, Line: 3}, false},      // its header
		{Place{Function: "finish", File: file, Line: 8}, false},    // may be called often
		{Place{Function: "main", File: "/me/b.c", Line: 2}, false}, // not there to be read
		{Place{Function: "app::main", File: file, Line: 2}, true},
		{Place{Function: "domain", File: file, Line: 2}, false},
	} {
		if got := runsOnce(judge.Subject{Facts: scripts{}}, c.at); got != c.want {
			t.Errorf("%+v: %v", c.at, got)
		}
	}
}
