package preload

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// filePrefix begins the name of every file that a process leaves: prefix, "_",
// process ID and, in timed recordings, ".0".
const filePrefix = "cpu"

// environment adds to env what loads and configures the profiler.
func environment(env []string, library, dir string, frequency int, timed bool) []string {
	preload := library
	out := make([]string, 0, len(env)+5)
	for _, entry := range env {
		key, value, _ := strings.Cut(entry, "=")
		switch {
		case key == "LD_PRELOAD" && value != "":
			preload = value + ":" + library
		case key == "LD_PRELOAD" || strings.HasPrefix(key, "CPUPROFILE"):
		default:
			out = append(out, entry)
		}
	}
	out = append(out,
		"LD_PRELOAD="+preload,
		"CPUPROFILE="+withProcessID(filepath.Join(dir, filePrefix)),
		"CPUPROFILE_FREQUENCY="+strconv.Itoa(frequency))
	if timed {
		out = append(out, fmt.Sprintf("CPUPROFILESIGNAL=%d", int(switchSignal)))
	}
	return out
}

// withProcessID sets the mark by which gperftools tells its children to append
// their process ID to the name: the top bit of the first byte. Set from the
// start, no two processes ever share a file, whatever starts them.
func withProcessID(path string) string {
	b := []byte(path)
	b[0] |= 0x80
	return string(b)
}
