package explain

import (
	"strings"
	"testing"

	"whyhot/internal/finding"
)

// Whatever the findings are from, the error names it: of one command line, which has no
// directory, too.
func TestWhereAFindingIsNotIsSaid(t *testing.T) {
	all := []finding.Finding{{ID: "a-1"}}
	for where, want := range map[string]string{
		"":       "the command line's source has no finding x-1; it has a-1",
		"-":      "standard input has no finding x-1; it has a-1",
		"r.json": "r.json has no finding x-1; it has a-1",
	} {
		if _, err := Pick(all, where, "x-1"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", where, err)
		}
	}
}
