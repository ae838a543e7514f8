package machine_test

import (
	"os"
	"path/filepath"
	"testing"
)

// analyserOrSkip finds the analyser, for the whole test. Where the tests are the gate it
// must be there.
func analyserOrSkip(t *testing.T) string {
	t.Helper()
	path := os.Getenv("WHYHOT_ANALYZER")
	if path == "" {
		path = filepath.Join("..", "..", "..", "build", "analyzer", "whyhot-analyzer")
	}
	abs, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(abs)
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("the analyser is not built: %v", err)
		}
		t.Skipf("the analyser is not built (make analyzer): %v", err)
	}
	t.Setenv("WHYHOT_ANALYZER", abs) // for what looks for it itself
	return abs
}
