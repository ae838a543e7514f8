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
