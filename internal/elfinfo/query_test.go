package elfinfo

import (
	"regexp"
	"slices"
	"testing"
)

// The names that an anchored expression is asked of are found by their beginning; the answer is
// that of asking all.
func TestMatchingAsksAllThatBeginSo(t *testing.T) {
	names := []string{"", "__asan", "__asan_init", "__asan_report_load4", "__asan_x", "__asao", "a__asan_init", "main", "zz"}
	slices.Sort(names)
	for _, expr := range []string{
		`^__asan_(init|report_load)`, `^__asan_init$`, `^__asan`, `^main$`, `^(?i)MAIN`, `^(main|zz)$`, `^z`, `^zzz`, `^$`, `asan`, `_init$`, `^a?__asan_init`, `^a`,
	} {
		re := regexp.MustCompile(expr)
		want := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !re.MatchString(n) })
		if got := matching(names, re); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", expr, got, want)
		}
	}
	if got := anchored(regexp.MustCompile(`^__asan_(init|report_load)`)); got != "__asan_" {
		t.Errorf("it begins with %q", got)
	}
}
