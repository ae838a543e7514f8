package perf

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/collect"
	"whyhot/internal/collect/remedy"
)

// tool is one perf binary that runs on this machine.
type tool struct {
	path    string
	options string // what `perf record -h` prints
}

// knows tells whether the tool has a long option.
func (t *tool) knows(option string) bool { return strings.Contains(t.options, "--"+option) }

var perfPackage = remedy.Package{
	"debian": "linux-perf", "ubuntu": "linux-tools-generic", "fedora": "perf", "rhel": "perf", //nolint:goconst // a package's name, not the sampler's
	"suse": "perf", "arch": "perf", "alpine": "perf",
	"": "install perf (the Linux kernel's own profiler, package linux-perf, perf or linux-tools)",
}

// findTool looks for a perf that starts: Ubuntu's /usr/bin/perf, for one, is a
// script that fails when the tools for the running kernel are not installed,
// although those of another version would do.
func findTool(ctx context.Context) (*tool, error) {
	var candidates []string
	if path, err := exec.LookPath("perf"); err == nil {
		candidates = append(candidates, path)
	}
	for _, pattern := range []string{
		"/usr/bin/perf_*", "/usr/lib/linux-tools*/perf", "/usr/lib/linux-tools/*/perf",
	} {
		found, _ := filepath.Glob(pattern) // the patterns are well formed
		slices.Sort(found)
		slices.Reverse(found)
		candidates = append(candidates, found...)
	}
	for _, path := range candidates {
		// perf exits with 129 after printing its options.
		out, err := exec.CommandContext(ctx, path, "record", "-h").CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			continue
		}
		t := &tool{path: path, options: string(out)}
		if !t.knows("call-graph") {
			continue
		}
		if !t.knows("control") {
			return nil, &collect.UnavailableError{
				Sampler: Name, Missing: path + " is older than version 5.10", Remedy: remedy.Install(perfPackage),
			}
		}
		return t, nil
	}
	missing := "the perf tool is not installed"
	if len(candidates) > 0 {
		missing = candidates[0] + " does not start"
	}
	return nil, &collect.UnavailableError{Sampler: Name, Missing: missing, Remedy: remedy.Install(perfPackage)}
}
