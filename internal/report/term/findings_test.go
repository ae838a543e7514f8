package term

import (
	"strings"
	"testing"

	"whyhot/internal/finding"
)

func TestLongNamesInAFindingAreCut(t *testing.T) {
	long := "std::_Rb_tree<int, " + strings.Repeat("std::pair<int const, std::string>, ", 9) + "int>::_M_erase"
	terminal := &Printer{Width: 80}
	texts := evidenceTexts([]finding.Evidence{
		{Kind: "symbol", Text: long + " in app"},
		{Kind: "symbol", Text: "free in libc.so.6"},
		{Kind: "reason", Text: "a sentence that stands in no binary, " + strings.Repeat("however long ", 20)},
	}, terminal.inText)
	if want := "std::_Rb_tree<…>::_M_erase in app, free in libc.so.6"; texts[0] != want {
		t.Errorf("functions: %q, want %q", texts[0], want)
	}
	if !strings.HasSuffix(texts[1], "however long ") {
		t.Errorf("a sentence was cut: %q", texts[1])
	}
	if place := terminal.placeText(finding.Place{Function: long, Binary: "/bin/app"}); place != "in std::_Rb_tree<…>::_M_erase, /bin/app" {
		t.Errorf("place: %q", place)
	}
}

func TestARangeThatIsNoEstimateIsNotShown(t *testing.T) {
	f := finding.Finding{
		ID: "rust-siphash-1", Rule: "rust-siphash", Title: "HashMap uses SipHash", Certainty: finding.Suspected,
		Share: finding.Share{Inclusive: new(0.028)},
		Gain:  &finding.Gain{Low: 0, High: 1, Likely: 0.42, NoEstimate: true, Basis: "2.8% of the CPU; how much depends on the data"},
	}
	r := finding.Report{Findings: []finding.Finding{f}}
	for name, show := range map[string]func(*Printer){
		"brief":    func(p *Printer) { p.Brief(r, "") },
		"complete": func(p *Printer) { p.Long(r) },
	} {
		text := strings.Join(brief(t, show), "\n")
		if !strings.Contains(text, "2.8%") || strings.Contains(text, "may save") || strings.Contains(text, "100") || strings.Contains(text, "42%") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text := strings.Join(brief(t, func(p *Printer) { p.Long(r) }), "\n"); !strings.Contains(text, "none: 2.8% of the CPU; how much depends on the data") {
		t.Errorf("it does not say why: %s", text)
	}
}

// That another program is four times as fast may be why a run is slow: the label of an
// aside does not deny it.
func TestWhatAnAsideSays(t *testing.T) {
	shown := func(kind string) string {
		f := finding.Finding{ID: "x-1", Rule: "x", Title: "Another program is faster", Aside: true, Certainty: finding.Suspected, Fix: finding.Fix{Kind: kind}}
		lines := brief(t, func(p *Printer) { p.Long(finding.Report{Findings: []finding.Finding{f}}) })
		return strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
	}
	if text := shown("cli"); !strings.Contains(text, "aside it is about the whole program") || !strings.Contains(text, "replace the program") || strings.Contains(text, "no reason why") {
		t.Errorf("another program: %s", text)
	}
	if text := shown("flag"); !strings.Contains(text, "aside it holds for the whole program") || strings.Contains(text, "replace the program") {
		t.Errorf("a flag: %s", text)
	}
}
