// Package analyzer_test runs what tests the analyser in C++. It imports nothing of
// ours.
package analyzer_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestUnits(t *testing.T) {
	t.Parallel()
	binary, err := filepath.Abs(filepath.Join("..", "..", "build", "analyzer", "whyhot-analyzer-unit"))
	if err == nil {
		_, err = os.Stat(binary)
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("the analyser is not built: %v", err)
		}
		t.Skipf("the analyser is not built: %v", err)
	}
	if out, err := exec.CommandContext(t.Context(), binary).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
