// Package memory says how much memory new programs can have.
//
// It takes the text of /proc/meminfo, or reads it, and gives bytes. It must never import
// another package of this module.
package memory

import (
	"fmt"
	"os"
	"strings"
)

// Free is what new programs can have on this machine without others being swapped out.
func Free() (free int64, known bool) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	return FreeIn(string(data))
}

// FreeIn reads it in a text of /proc/meminfo (MemAvailable of proc(5)).
func FreeIn(meminfo string) (free int64, known bool) {
	const kibi = 1024
	for line := range strings.Lines(meminfo) {
		if _, err := fmt.Sscanf(line, "MemAvailable: %d kB", &free); err == nil {
			return free * kibi, true
		}
	}
	return 0, false
}
