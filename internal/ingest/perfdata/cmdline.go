package perfdata

import "strings"

// workload finds the profiled command in the command line of perf record. It
// knows which of perf's options take a value; where it meets one that it does
// not know it gives nothing.
func workload(cmdline []string) []string {
	args := cmdline[min(1, len(cmdline)):]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:] // options of perf itself
	}
	if len(args) == 0 || args[0] != "record" && args[0] != "rec" {
		return nil
	}
	for args = args[1:]; len(args) > 0; {
		a := args[0]
		if a == "--" {
			return args[1:]
		}
		if len(a) < 2 || a[0] != '-' {
			return args
		}
		values, known := valuesOf(a)
		if !known || values >= len(args) {
			return nil
		}
		args = args[1+values:]
	}
	return nil
}

// valuesOf says how many of the words behind an option belong to it.
func valuesOf(option string) (n int, known bool) {
	if long, ok := strings.CutPrefix(option, "--"); ok {
		name, _, attached := strings.Cut(long, "=")
		switch {
		case attached:
			return 0, true
		case longWithValue[name]:
			return 1, true
		}
		return 0, longFlags[name] || longFlags[strings.TrimPrefix(name, "no-")]
	}
	for i := 1; i < len(option); i++ {
		switch {
		case strings.IndexByte("ISz", option[i]) >= 0: // a value, if any, is attached
			return 0, true
		case strings.IndexByte("cCDeFGjkmoprtu", option[i]) >= 0:
			if i == len(option)-1 {
				return 1, true
			}
			return 0, true
		}
	}
	return 0, true
}

// The long options of perf-record(1) that take the next word, and those that
// take none or only one behind "=".
var (
	longWithValue = set(`affinity branch-filter call-graph cgroup clang-opt clang-path clockid control
		count cpu delay event filter freq max-size mmap-flush mmap-pages num-thread-synthesize output pid
		proc-map-timeout realtime setup-filter switch-max-files switch-output-event synth tid uid vmlinux`)
	longFlags = set(`aio all-cgroups all-cpus all-kernel all-user aux-sample bpf-event branch-any buffering
		buildid buildid-all buildid-cache buildid-mmap code-page-size compression-level data data-page-size
		debuginfod dry-run exclude-perf group inherit intr-regs kcore kernel-callchains latency namespaces
		off-cpu overwrite per-thread period phys-data quiet raw-samples running-time sample-cpu
		sample-identifier samples snapshot stat strict-freq switch-events switch-output tail-synthesize
		threads timestamp timestamp-boundary timestamp-filename transaction user-callchains user-regs
		verbose weight`)
)

func set(names string) map[string]bool {
	m := map[string]bool{}
	for n := range strings.FieldsSeq(names) {
		m[n] = true
	}
	return m
}
