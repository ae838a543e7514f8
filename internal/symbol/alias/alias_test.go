package alias

import "testing"

func TestCompare(t *testing.T) {
	for _, c := range []struct{ better, worse string }{
		{"puts", "_IO_puts"},
		{"write", "__libc_write"},
		{"open", "open64"},
		{"_ZN1aC1Ev", "_ZN1aC2Ev"},
		{"_Zlong_mangled_name", "_x"},
		{"a", "b"},
	} {
		if Compare(c.better, c.worse) >= 0 || Compare(c.worse, c.better) <= 0 {
			t.Errorf("%q should be taken before %q", c.better, c.worse)
		}
	}
	if Compare("same", "same") != 0 {
		t.Error("a name does not compare equal to itself")
	}
}
