package ebpf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/collect"
)

// What the command does to a limit is its own business: the filter that lets the
// profiler load must not reach it. The test stands first, because what is started
// after a recording inherits the filter.
func TestTheCommandKeepsItsLimits(t *testing.T) {
	usable(t.Context(), t)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil || !strings.Contains(string(status), "Seccomp:\t0") {
		t.Skip("this process has a system-call filter already")
	}
	dir := t.TempDir()
	script := `ulimit -l 64; ulimit -l > "$0/limit"; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done`
	record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{"bash", "-c", script, dir}}})
	got, err := os.ReadFile(filepath.Join(dir, "limit"))
	if err != nil || strings.TrimSpace(string(got)) != "64" {
		t.Errorf("limit %q, %v; the command set 64", got, err)
	}
}
