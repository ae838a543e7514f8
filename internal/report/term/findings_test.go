package term

import (
	"strings"
	"testing"

	"whyhot/internal/finding"
)

func TestLongNamesInAFindingAreCut(t *testing.T) {
	long := "std::_Rb_tree<int, " + strings.Repeat("std::pair<int const, std::string>, ", 9) + "int>::_M_erase"
	texts := evidenceTexts([]finding.Evidence{
		{Kind: "symbol", Text: long + " in app"},
		{Kind: "symbol", Text: "free in libc.so.6"},
		{Kind: "reason", Text: "a sentence that stands in no binary, " + strings.Repeat("however long ", 20)},
	})
	if want := "std::_Rb_tree<…>::_M_erase in app, free in libc.so.6"; texts[0] != want {
		t.Errorf("functions: %q, want %q", texts[0], want)
	}
	if !strings.HasSuffix(texts[1], "however long ") {
		t.Errorf("a sentence was cut: %q", texts[1])
	}
	if place := placeText(finding.Place{Function: long, Binary: "/bin/app"}); place != "in std::_Rb_tree<…>::_M_erase, /bin/app" {
		t.Errorf("place: %q", place)
	}
}
