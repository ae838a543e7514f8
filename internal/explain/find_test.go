package explain

import (
	"fmt"
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
	for i := range 50 {
		all = append(all, finding.Finding{ID: fmt.Sprintf("b-%08d", i)})
	}
	all = append(all, finding.Finding{ID: "x-00000002"})
	want := "r.json has no finding x-00000001; it has x-00000002, a-1, b-00000000, b-00000001, b-00000002 and 47 more, which scan or explain with --long lists"
	if _, err := Pick(all, "r.json", "x-00000001"); err == nil || err.Error() != want {
		t.Error(err)
	}
}
