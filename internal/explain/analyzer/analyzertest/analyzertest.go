// Package analyzertest finds the analyser for tests. Only tests import it.
//
// It is the one that WHYHOT_ANALYZER names, or that `make analyzer` has built. Where
// there is none the test is skipped, and fails where CI is set.
package analyzertest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"whyhot/internal/host/tooltest"
)

// Path gives the analyser's path.
func Path(t *testing.T) string {
	t.Helper()
	path := os.Getenv("WHYHOT_ANALYZER")
	if path == "" {
		_, here, _, _ := runtime.Caller(0)
		path = filepath.Join(filepath.Dir(here), "..", "..", "..", "..", "bin", "whyhot-analyzer")
	}
	abs, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(abs)
	}
	if err != nil {
		tooltest.Missingf(t, "the analyser is not built (make analyzer): %v", err)
	}
	return abs
}

// Use has what looks for the analyser by itself find it, as long as the test runs. Like
// all that changes the environment it is not for parallel tests.
func Use(t *testing.T) string {
	t.Helper()
	path := Path(t)
	t.Setenv("WHYHOT_ANALYZER", path)
	return path
}
