package shellwords

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for in, want := range map[string][]string{
		`gcc -DA='"x y"' a.c`:        {"gcc", `-DA="x y"`, "a.c"},
		`gcc "-DS=\"q\"" a\ b.c`:     {"gcc", `-DS="q"`, "a b.c"},
		`gcc "" '' x`:                {"gcc", "", "", "x"},
		`gcc "-DP=C:\dir" -DR='a\b'`: {"gcc", `-DP=C:\dir`, `-DR=a\b`},
		"  gcc\t-c\n":                {"gcc", "-c"},
	} {
		got, err := Split(in)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", in, got, err, want)
		}
	}
	if _, err := Split(`gcc "open`); err == nil {
		t.Error("an open quote was accepted")
	}
}

func TestJoinedWordsSplitAgain(t *testing.T) {
	words := []string{"", "plain-1.0_x/y:z,@%+=", "a b", "it's", `back\slash`, "$HOME", "`x`", "é", "*", "a\nb", "~"}
	line := Join(words)
	got, err := Split(line)
	if err != nil || !slices.Equal(got, words) {
		t.Errorf("%s: got %q, %v", line, got, err)
	}
	if got := Quote("-O2"); got != "-O2" {
		t.Errorf("a plain word became %s", got)
	}
}
