package main

import "testing"

// Both commands with a limit read it the same way.
func TestShares(t *testing.T) {
	for text, want := range map[string]float64{"2%": 0.02, "0.5%": 0.005, " 5 % ": 0.05, "0.02": 0.02, "150%": 1.5, "0": 0} {
		got, err := parseShare(text)
		if err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
		var s shareValue
		if err := s.Set(text); want > 0 && (err != nil || float64(s) != want) {
			t.Errorf("--limit %q of bisect is %v, %v, want %v", text, float64(s), err, want)
		}
	}
	for _, text := range []string{"", "much", "-1%", "5", "1", "%"} {
		if got, err := parseShare(text); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
	var s shareValue
	if s.Set("0%") == nil || s.Set("20000%") == nil {
		t.Error("bisect takes a limit that nothing can meet")
	}
}
