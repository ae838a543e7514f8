package finding

import "testing"

func TestParseLine(t *testing.T) {
	for text, want := range map[string]Line{
		"a.cpp:12":        {"a.cpp", 12},
		"dir/a:b.cpp:3":   {"dir/a:b.cpp", 3},
		"../x/y.h:1":      {"../x/y.h", 1},
		"C:/src/a.cpp:07": {"C:/src/a.cpp", 7},
	} {
		got, err := ParseLine(text)
		if err != nil || got != want || !IsLine(text) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ":3", "a.cpp", "a.cpp:", "a.cpp:0", "a.cpp:-1", "a.cpp:x", "alias-char-write-0123abcd"} {
		if got, err := ParseLine(text); err == nil || IsLine(text) {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
	if text := (Line{"a.c", 9}).String(); text != "a.c:9" {
		t.Error(text)
	}
}
