package collect

import "testing"

// A sampler that has no directory of its own keeps nothing, instead of keeping it where
// the program happens to run.
func TestNowhereToKeepBinaries(t *testing.T) {
	if dir := (&Request{}).BinariesDir(); dir != "" {
		t.Errorf("binaries are kept in %q", dir)
	}
	if dir := (&Request{TempDir: "/tmp/x"}).BinariesDir(); dir != "/tmp/x/binaries" {
		t.Errorf("binaries are kept in %q", dir)
	}
}
