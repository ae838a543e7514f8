package pattern

import (
	"regexp"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		pattern string
		search  bool
		want    Kind
	}{
		{`^((?:[\w.-]+\s*,?\s*)+):\s*(.*)$`, false, Exponential},
		{`^(\w+\s?)*$`, false, Exponential},
		{`(a+)+b`, false, Exponential},
		{`^(.*,)*x`, false, Exponential},
		{`^(\w+,)+x`, false, Plain},
		{`^(\w+\s)+$`, false, Plain},
		{`(a+)+`, false, Plain}, // nothing follows that can fail
		{`^([^"\\]|\\.)*"`, false, Plain},
		{`\s+$`, true, Quadratic},
		{`\s+$`, false, Plain}, // tried at one place only
		{`^\s+|\s+x`, true, Plain},
		{`\w+@example\.com`, true, Plain}, // words are short
		{`[^,]+;`, true, Quadratic},
		{`^\w+@example\.com`, true, Plain},
		{`foo\s+bar`, true, Plain},
		{`\d{1,3}px`, true, Plain},
		{`\s*`, true, Plain},
		{`^\s*(.*?)\s*$`, false, Trimming},
		{`^\s*(\S.*?)\s*\z`, true, Trimming},
		{`^\s*(.*\S)\s*$`, false, Plain}, // goes back from the end
		{`^\s*(\S+?)\s*$`, false, Plain}, // the lazy part cannot take the run
		{`^(.*?)\s*=\s*(.*)$`, false, Plain},
		{`(?P<broken`, true, Plain},
		{`(?>a+)+b`, false, Plain}, // takes nothing back
	} {
		if got, part := Of(x.pattern, x.search); got != x.want {
			t.Errorf("%s (search %t): %d %s, want %d", x.pattern, x.search, got, part, x.want)
		}
	}
}

// Of must end for whatever stands in a program's text.
func FuzzOf(f *testing.F) {
	f.Add(`^((?:[\w.-]+\s*,?\s*)+):\s*(.*)$`)
	f.Add(`((((a*)*)*)*)*b`)
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 1000 {
			t.Skip("longer than a line")
		}
		if kind, part := Of(pattern, true); kind != Plain && part == "" {
			t.Errorf("%q has no part", pattern)
		}
		if _, err := regexp.Compile(pattern); err == nil && strings.Trim(pattern, "abc") == "" {
			if kind, _ := Of(pattern, true); kind != Plain {
				t.Errorf("%q has no repetition", pattern)
			}
		}
	})
}
