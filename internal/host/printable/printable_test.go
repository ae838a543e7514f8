package printable

import "testing"

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"std::vector<int>::push_back": "std::vector<int>::push_back",
		"größe":                       "größe",
		"a\x1b[31mred":                `a\x1b[31mred`,
		"two\nlines\t":                `two\nlines\t`,
		"left\u202eright":             `left\u202eright`,
		"bad\xff":                     `bad\ufffd`,
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
