// Package paranoia reads kernel.perf_event_paranoid, which decides who may open
// perf events.
//
// It owns the file and what its levels mean. It imports nothing of ours.
package paranoia

import (
	"os"
	"strconv"
	"strings"
)

// KernelMost is the last level that the kernel itself has. Distributions add one (3 on
// Debian, 4 on Ubuntu) that CAP_PERFMON does not pass; CAP_SYS_ADMIN does.
const KernelMost = 2

// Level is the level that is set, if it can be read.
func Level() (level int, known bool) {
	text, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err != nil {
		return 0, false
	}
	level, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return level, err == nil
}
