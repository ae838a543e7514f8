//go:build linux

package run

import (
	"fmt"
	"os"
	"strings"
)

// FreeMemory is what new programs can have without others being swapped out, in bytes
// (MemAvailable of proc(5)).
func FreeMemory() (free int64, known bool) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	const kibi = 1024
	for line := range strings.Lines(string(data)) {
		if _, err := fmt.Sscanf(line, "MemAvailable: %d kB", &free); err == nil {
			return free * kibi, true
		}
	}
	return 0, false
}
